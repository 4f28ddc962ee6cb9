"""What goes into the files: stories in blocks. A block is a heading, a paragraph, a list or a table."""

GERMAN = [
    ("h1", "Der Kessel im Keller"),
    ("p", "Als die Nachbarin am Donnerstag über die Straße kam, war der Kessel schon wieder ausgefallen. Sie brachte Äpfel, "
          "eine Tüte Nüsse und die alte Rechnung des Installateurs mit, auf der in großer Schrift stand, was der Austausch der "
          "Umwälzpumpe gekostet hatte: zweihundertvierzig Euro und fünfzig Cent, ohne Anfahrt."),
    ("p", "„Das glaubst du nicht“, sagte sie, „aber derselbe Fehler war vor genau einem Jahr da.“ Der Kessel zeigte F28 und "
          "schwieg. Wir öffneten die Klappe, prüften den Wasserdruck, der bei 0,8 bar lag, und füllten nach, bis der Zeiger auf "
          "1,5 stand. Danach sprang er an, brummte kurz und wurde warm."),
    ("h2", "Was noch zu tun ist"),
    ("ul", ["Den Filter vor der Pumpe säubern", "Die Größe des Ausdehnungsgefäßes nachmessen",
            "Für Mittwoch einen Termin mit Herrn Müller-Lüdenscheidt vereinbaren"]),
    ("table", [["Bauteil", "Preis", "Lieferung"], ["Umwälzpumpe", "240,50", "zwei Tage"], ["Zündelektrode", "38,90", "sofort"],
               ["Dichtungssatz", "12,00", "eine Woche"]]),
    ("h1", "Die Abrechnung"),
    ("p", "Weil die Wohnungseigentümergemeinschaft beschlossen hat, Instandhaltungsmaßnahmen künftig gemeinschaftlich zu "
          "bezahlen, geht die Rechnung an die Hausverwaltung. Ein Anteil von 19 % bleibt beim Eigentümer. Die Unterlagen liegen "
          "im blauen Ordner, rechts neben dem Fenster, zwischen Versicherungsscheinen und Gebrauchsanweisungen."),
    ("p", "Übrigens: Wer den Schornsteinfeger trifft, möge ihn bitte an die Überprüfung der Abgaswerte erinnern. Er hatte "
          "versprochen, im Frühjahr wiederzukommen, sobald die Außentemperatur über zehn Grad gestiegen ist."),
]

ENGLISH = [
    ("h1", "An efficient office"),
    ("p", "The chief officer of the first fleet found the fluffy waffles baffling. Five of the staff filed off to the cliff, where "
          "the wind ruffled their coffee and a flock of finches flew figures of eight. It was difficult to fix the flag, yet "
          "the effort sufficed: the affair was settled before the traffic started."),
    ("p", "Afterwards the committee confirmed three findings. Firstly, the fish in the fjord are fine. Secondly, a reflection "
          "on the offline configuration suffers from a conflict of definitions. Thirdly, no fifty-fifty offer is final until the "
          "sheriff has affixed the official seal."),
    ("h2", "Figures"),
    ("table", [["Quarter", "Profit", "Staff"], ["First", "1,250", "41"], ["Second", "1,480", "44"], ["Third", "990", "39"],
               ["Fourth", "2,015", "47"]]),
    ("ul", ["Buffer the flux capacitor", "Refill the coffee", "Offer muffins to the fire brigade"]),
    ("h1", "Appendix"),
    ("p", "Quotes “like these” and dashes – short and long — belong to everyday typography, as do an ellipsis… and the signs "
          "§, €, ©, ± and °. A temperature of 21 °C is fine. The equation reads E equals m times c squared."),
    ("p", "Nothing in this appendix is of any consequence; it is here so that there is a second chapter, and so that a page break "
          "or a new section has something to begin with. Whatever happens, the words must arrive in the order in which they "
          "were written, every one of them, exactly once."),
]

RUSSIAN = [
    ("h1", "Старый дом у реки"),
    ("p", "Утром над рекой стоял туман, и лодочник долго не мог найти причал. Он крикнул дважды, но никто не ответил; только "
          "собака залаяла за забором. Наконец солнце поднялось выше, и стало видно дом с зелёной крышей, в котором когда-то "
          "жила его бабушка."),
    ("p", "В доме пахло яблоками и сухой травой. На столе лежало письмо, датированное седьмым октября, и связка ключей. "
          "Письмо начиналось словами: «Дорогой мой, если ты читаешь это, значит, дорога ещё проходима»."),
    ("h2", "Что взять с собой"),
    ("ul", ["Тёплую одежду и сапоги", "Фонарь с запасной батареей", "Хлеб, соль и спички"]),
    ("table", [["Предмет", "Цена", "Срок"], ["Фонарь", "350", "сегодня"], ["Сапоги", "1200", "завтра"]]),
    ("h1", "Дорога назад"),
    ("p", "Вечером он закрыл ставни, запер дверь и спустился к воде. Течение было быстрым, весло скрипело, а за спиной медленно "
          "гасли окна. Больше он туда не возвращался, хотя ключи хранил до конца жизни."),
]

CHINESE = [
    ("h1", "山里的图书馆"),
    ("p", "从前有一座小山，山上有一个很老的图书馆。每天早晨，管理员打开大门，把昨天归还的书放回书架。书架很高，他必须用梯子。"),
    ("p", "有一天，一个孩子走进来，问他有没有关于星星的书。管理员想了一会儿，说：“最上面一层有三本，但是你要小心灰尘。”"),
    ("h2", "借书的规则"),
    ("ul", ["每次最多借五本", "三个星期以后归还", "不要在书上写字"]),
    ("table", [["书名", "价格", "数量"], ["天文学入门", "45", "3"], ["山的历史", "60", "1"]]),
    ("h1", "后来"),
    ("p", "孩子长大以后成了天文学家。他每年回来一次，带着新书，也带着旧的回忆。图书馆还在那里，门口的灯整夜亮着。"),
]

PRICES = [
    ["Article", "Größe", "Price", "Date", "In stock", "Share"],
    ["Leather boots", "42", 89.9, "2026-03-01", True, 0.19],
    ["Gummistiefel", "43", 24.5, "2026-04-15", False, 0.07],
    ["Сапоги", "40", 1200, "2025-12-31", True, 0.5],
    ["雨鞋", "38", 75.25, "2024-02-29", True, 1],
    ["Very long description of an article, with a comma", "45", 3, "2026-11-16", False, 0.125],
]

CODE = '''//! Counts words.
use std::collections::HashMap;

/// How often each word occurs in `text`.
pub fn count(text: &str) -> HashMap<&str, usize> {
    let mut words = HashMap::new();
    for word in text.split_whitespace() {
        *words.entry(word).or_insert(0) += 1; // größer als nichts
    }
    words
}
'''

STORIES = {"german": GERMAN, "english": ENGLISH, "russian": RUSSIAN, "chinese": CHINESE}


def plain(blocks):
    lines = []
    for kind, body in blocks:
        if kind == "ul":
            lines += body
        elif kind == "table":
            lines += ["\t".join(row) for row in body]
        else:
            lines.append(body)
    return "\n".join(lines) + "\n"


def markdown(blocks):
    out = []
    for kind, body in blocks:
        if kind in ("h1", "h2"):
            out.append("#" * int(kind[1]) + " " + body)
        elif kind == "p":
            out.append(body)
        elif kind == "ul":
            out.append("\n".join("- " + item for item in body))
        else:
            rows = ["| " + " | ".join(row) + " |" for row in body]
            rows.insert(1, "|" + "---|" * len(body[0]))
            out.append("\n".join(rows))
    return "\n\n".join(out) + "\n"


def html(blocks, style="", lang="en", charset="utf-8"):
    out = []
    for kind, body in blocks:
        if kind == "ul":
            out.append("<ul>" + "".join(f"<li>{item}</li>" for item in body) + "</ul>")
        elif kind == "table":
            rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in body)
            out.append(f"<table border=1>{rows}</table>")
        else:
            out.append(f"<{kind}>{body}</{kind}>")
    head = f'<meta charset="{charset}"><title>A story</title><style>{style}</style>'
    return f'<!DOCTYPE html>\n<html lang="{lang}"><head>{head}</head><body>\n' + "\n".join(out) + "\n</body></html>\n"


def typst(blocks, columns=1, lang="de", font="DejaVu Serif"):
    def quote(text):
        for sign in "\\#$*_`<>@[]~":
            text = text.replace(sign, "\\" + sign)
        return text
    out = [f'#set page(paper: "a5", columns: {columns})', f'#set text(lang: "{lang}", font: "{font}", hyphenate: true, size: 9pt)',
           "#set par(justify: true)"]
    for kind, body in blocks:
        if kind in ("h1", "h2"):
            out.append("=" * int(kind[1]) + " " + quote(body))
        elif kind == "p":
            out.append(quote(body))
        elif kind == "ul":
            out.append("\n".join("- " + quote(item) for item in body))
        else:
            cells = ", ".join("[" + quote(cell) + "]" for row in body for cell in row)
            out.append(f"#table(columns: {len(body[0])}, {cells})")
    return "\n\n".join(out) + "\n"


def latex(blocks, columns=False, lang="ngerman", fontenc="T1"):
    def quote(text):
        for sign in "\\%&#_{}$":
            text = text.replace(sign, "\\" + sign)
        for sign, code in {"„": "\\glqq{}", "“": "\\grqq{}" if lang == "ngerman" else "``", "”": "''", "–": "--", "—": "---",
                           "…": "\\ldots{}", "€": "\\texteuro{}", "©": "\\copyright{}", "±": "\\textpm{}",
                           "°": "\\textdegree{}", "§": "\\S{}"}.items():
            text = text.replace(sign, code)
        return text
    out = ["\\documentclass[a5paper,9pt" + (",twocolumn" if columns else "") + "]{article}", f"\\usepackage[{fontenc}]{{fontenc}}",
           "\\usepackage[utf8]{inputenc}", f"\\usepackage[{lang}]{{babel}}", "\\usepackage{textcomp}",
           "\\usepackage{lmodern}" if fontenc == "T1" else "", "\\begin{document}"]
    for kind, body in blocks:
        if kind in ("h1", "h2"):
            out.append("\\" + ("section*{" if kind == "h1" else "subsection*{") + quote(body) + "}")
        elif kind == "p":
            out.append(quote(body))
        elif kind == "ul":
            out.append("\\begin{itemize}" + "".join("\\item " + quote(item) for item in body) + "\\end{itemize}")
        else:
            rows = "\\\\\n".join(" & ".join(quote(cell) for cell in row) for row in body)
            out.append("\\begin{tabular}{" + "l" * len(body[0]) + "}" + rows + "\\end{tabular}")
    return "\n\n".join(out) + "\n\\end{document}\n"
