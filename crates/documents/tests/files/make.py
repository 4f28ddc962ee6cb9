#!/usr/bin/env python3
"""Makes the files that the tests of this crate read, with the programs that people use.

Needs: libreoffice (writer, calc, impress), pandoc, weasyprint, wkhtmltopdf, chromium, pdflatex, groff, ghostscript, qpdf, and
from pip: typst python-docx openpyxl xlsxwriter python-pptx odfpy ebooklib reportlab fpdf2. What is missing is left out and said.

    python3 make.py            # writes ./made and ./list.tsv
"""
import csv, datetime, io, json, os, pathlib, shutil, subprocess, sys, tempfile
from stories import *

HERE = pathlib.Path(__file__).parent.resolve()
MADE = HERE / "made"
ROWS = []
# Commas, quotes, UTF-8.
UTF8 = "--infilter=CSV:44,34,76"


def run(*command, **options):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=240, **options)


def made(name, kind, source):
    path = MADE / name
    ROWS.append((name, kind, source))
    return path


def attempt(name, kind, source, make):
    path = MADE / name
    try:
        make(path)
    except Exception as error:
        detail = getattr(error, "stderr", b"") or b""
        print(f"left out {name}: {error} {detail[-300:]!r}", file=sys.stderr)
        path.unlink(missing_ok=True)
        return
    if not path.exists():
        print(f"left out {name}: the program wrote nothing", file=sys.stderr)
        return
    ROWS.append((name, kind, source))


def table_text():
    def cell(value):
        if value is True:
            return "TRUE"
        return "FALSE" if value is False else str(value)
    return "\n".join("\t".join(cell(value) for value in row[:5]) for row in PRICES) + "\n"


def office(path, data, ending, into, *options):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / f"in.{ending}"
        source.write_bytes(data)
        run("soffice", "--headless", f"-env:UserInstallation=file://{folder}/profile", *options, "--convert-to", into, "--outdir",
            folder + "/out", str(source))
        shutil.copy(next((pathlib.Path(folder) / "out").iterdir()), path)


def pandoc(path, text, form, *options):
    run("pandoc", "-f", "markdown", "-t", form, "-s", "-o", str(path), *options, "-", input=text.encode())


def texts():
    for name, data, kind, source in [
        ("german-utf8.txt", plain(GERMAN).encode(), "text", "german"),
        ("german-utf8-mark.txt", b"\xef\xbb\xbf" + plain(GERMAN).encode(), "text", "german"),
        ("german-windows.txt", plain(GERMAN).replace("\n", "\r\n").encode("cp1252"), "text", "german"),
        ("russian-utf16.txt", b"\xff\xfe" + plain(RUSSIAN).encode("utf-16-le"), "text", "russian"),
        ("chinese-utf16-big.txt", b"\xfe\xff" + plain(CHINESE).encode("utf-16-be"), "text", "chinese"),
        ("count.rs", CODE.encode(), "code", "code"),
        ("count-windows.py", CODE.replace("//", "#").encode("latin-1"), "code", "code"),
        ("english.md", markdown(ENGLISH).encode(), "markdown", "english"),
        ("russian.md", markdown(RUSSIAN).encode(), "markdown", "russian"),
        ("german.json", json.dumps([body for _, body in GERMAN], ensure_ascii=False, indent=1).encode(), "json", "german"),
        ("chinese.json", json.dumps([body for _, body in CHINESE], ensure_ascii=False).encode(), "json", "chinese"),
        ("german.html", html(GERMAN, lang="de").encode(), "html", "german"),
        ("german-latin1.html", html(GERMAN, charset="windows-1252").encode("cp1252"), "html", "german"),
        ("russian-1251.html", html(RUSSIAN, charset="windows-1251").encode("cp1251"), "html", "russian"),
    ]:
        made(name, kind, source).write_bytes(data)
    for name, between, coding in [("prices.csv", ",", "utf-8"), ("prices.tsv", "\t", "utf-8"), ("prices-16.csv", ";", "utf-16")]:
        out = io.StringIO()
        csv.writer(out, delimiter=between).writerows([[str(cell).upper() if isinstance(cell, bool) else cell for cell in row] for row in PRICES])
        made(name, "csv", "prices").write_bytes(out.getvalue().encode(coding))


def word():
    for story in STORIES:
        attempt(f"{story}-pandoc.docx", "word", story, lambda path: pandoc(path, markdown(STORIES[story]), "docx"))
    attempt("german-libreoffice.docx", "word", "german",
            lambda path: office(path, html(GERMAN).encode(), "html", "docx:MS Word 2007 XML"))

    def python_docx(path):
        import docx
        document = docx.Document()
        for kind, body in ENGLISH:
            if kind in ("h1", "h2"):
                document.add_heading(body, int(kind[1]))
            elif kind == "p":
                document.add_paragraph(body)
            elif kind == "ul":
                for item in body:
                    document.add_paragraph(item, style="List Bullet")
            else:
                table = document.add_table(rows=0, cols=len(body[0]))
                for row in body:
                    for cell, value in zip(table.add_row().cells, row):
                        cell.text = value
        document.save(path)
    attempt("english-python.docx", "word", "english", python_docx)


def open_text():
    attempt("german-pandoc.odt", "open_text", "german", lambda path: pandoc(path, markdown(GERMAN), "odt"))
    attempt("russian-libreoffice.odt", "open_text", "russian",
            lambda path: office(path, html(RUSSIAN).encode(), "html", "odt:writer8"))
    attempt("chinese-pandoc.odt", "open_text", "chinese", lambda path: pandoc(path, markdown(CHINESE), "odt"))


def rtf():
    for story in STORIES:
        attempt(f"{story}-pandoc.rtf", "rtf", story, lambda path: pandoc(path, markdown(STORIES[story]), "rtf"))
    attempt("german-libreoffice.rtf", "rtf", "german", lambda path: office(path, html(GERMAN).encode(), "html", "rtf:Rich Text Format"))
    attempt("russian-libreoffice.rtf", "rtf", "russian", lambda path: office(path, html(RUSSIAN).encode(), "html", "rtf:Rich Text Format"))


def epub():
    for story, form in [("english", "epub3"), ("german", "epub2"), ("chinese", "epub3")]:
        attempt(f"{story}-pandoc.epub", "epub", story,
                lambda path: pandoc(path, markdown(STORIES[story]), form, "--metadata", "title=A story"))

    def ebooklib(path):
        from ebooklib import epub as book
        made = book.EpubBook()
        made.set_identifier("story"), made.set_title("A story"), made.set_language("ru")
        chapters = []
        for block in RUSSIAN:
            if block[0] == "h1":
                chapters.append([])
            chapters[-1].append(block)
        items = []
        for number, blocks in enumerate(chapters):
            item = book.EpubHtml(title=blocks[0][1], file_name=f"text/part {number}.xhtml", lang="ru")
            item.content = html(blocks)
            made.add_item(item)
            items.append(item)
        made.spine = items
        made.add_item(book.EpubNcx()), made.add_item(book.EpubNav())
        book.write_epub(str(path), made)
    attempt("russian-python.epub", "epub", "russian", ebooklib)


def sheets():
    def openpyxl(path):
        import openpyxl
        book = openpyxl.Workbook()
        sheet = book.active
        sheet.title = "Costs & more"
        for row in PRICES:
            sheet.append([datetime.date.fromisoformat(cell) if isinstance(cell, str) and cell[:2] == "20" else cell for cell in row])
        for row in sheet.iter_rows(min_row=2):
            row[5].number_format = "0.0%"
        other = book.create_sheet("Empty")
        other["D7"] = "far away"
        book.save(path)
    attempt("prices-openpyxl.xlsx", "sheet", "prices", openpyxl)

    def xlsxwriter(path):
        import xlsxwriter
        book = xlsxwriter.Workbook(str(path))
        sheet = book.add_worksheet("Preise")
        date = book.add_format({"num_format": "dd.mm.yyyy"})
        for number, row in enumerate(PRICES):
            for column, cell in enumerate(row):
                if isinstance(cell, str) and cell[:2] == "20":
                    sheet.write_datetime(number, column, datetime.datetime.fromisoformat(cell), date)
                else:
                    sheet.write(number, column, cell)
        book.close()
    attempt("prices-xlsxwriter.xlsx", "sheet", "prices", xlsxwriter)
    csv_data = (MADE / "prices.csv").read_bytes()
    attempt("prices-libreoffice.xlsx", "sheet", "prices", lambda path: office(path, csv_data, "csv", "xlsx:Calc MS Excel 2007 XML", UTF8))
    attempt("prices-libreoffice.ods", "open_sheet", "prices", lambda path: office(path, csv_data, "csv", "ods:calc8", UTF8))
    with_dates = MADE / "prices-openpyxl.xlsx"
    if with_dates.exists():
        attempt("prices-from-excel.ods", "open_sheet", "prices-words", lambda path: office(path, with_dates.read_bytes(), "xlsx", "ods:calc8"))

    def odfpy(path):
        from odf.opendocument import OpenDocumentSpreadsheet
        from odf.table import Table, TableRow, TableCell
        from odf.text import P
        book = OpenDocumentSpreadsheet()
        table = Table(name="Bericht")
        for row in [line.split("\t") for line in table_text().splitlines()]:
            line = TableRow()
            for value in row:
                cell = TableCell(valuetype="string")
                cell.addElement(P(text=value))
                line.addElement(cell)
            table.addElement(line)
        book.spreadsheet.addElement(table)
        book.save(str(path))
    attempt("prices-odfpy.ods", "open_sheet", "prices", odfpy)


def slides():
    for story in ["english", "german", "chinese"]:
        attempt(f"{story}-pandoc.pptx", "slides", story, lambda path: pandoc(path, markdown(STORIES[story]), "pptx", "--slide-level=1"))

    def python_pptx(path):
        from pptx import Presentation
        from pptx.util import Inches
        show = Presentation()
        slide = None
        for kind, body in RUSSIAN:
            if kind in ("h1", "h2"):
                slide = show.slides.add_slide(show.slide_layouts[1])
                slide.shapes.title.text = body
                slide.placeholders[1].text_frame.text = ""
            elif kind == "table":
                table = slide.shapes.add_table(len(body), len(body[0]), Inches(1), Inches(4), Inches(6), Inches(2)).table
                for y, row in enumerate(body):
                    for x, value in enumerate(row):
                        table.cell(y, x).text = value
            else:
                for line in [body] if kind == "p" else body:
                    slide.placeholders[1].text_frame.add_paragraph().text = line
        show.slides[0].notes_slide.notes_text_frame.text = "Only the speaker knows."
        show.save(path)
    attempt("russian-python.pptx", "slides", "russian", python_pptx)
    for story in ["russian-python", "english-pandoc", "chinese-pandoc"]:
        source = MADE / f"{story}.pptx"
        if source.exists():
            attempt(f"{story}.odp", "open_slides", story.split("-")[0],
                    lambda path: office(path, source.read_bytes(), "pptx", "odp:impress8"))


def pdf():
    fonts = "font-family: 'DejaVu Serif', 'Noto Sans CJK SC'; font-size: 10pt"
    columns = f"body {{ {fonts}; column-count: 2; text-align: justify; hyphens: auto }}"
    plain_style = f"body {{ {fonts} }}"
    for story in STORIES:
        attempt(f"{story}-libreoffice.pdf", "pdf", story, lambda path: office(path, (MADE / f"{story}-pandoc.docx").read_bytes(), "docx", "pdf:writer_pdf_Export"))
        attempt(f"{story}-weasyprint.pdf", "pdf", story,
                lambda path: run("weasyprint", "-", str(path), input=html(STORIES[story], plain_style).encode()))

        def chromium(path):
            with tempfile.TemporaryDirectory() as folder:
                page = pathlib.Path(folder) / "page.html"
                page.write_text(html(STORIES[story], plain_style, lang="de"))
                run("chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/p", "--no-pdf-header-footer",
                    f"--print-to-pdf={path}", page.as_uri())
        attempt(f"{story}-chromium.pdf", "pdf", story, chromium)

        def typst_pdf(path, columns=1):
            import typst as compiler
            font = "Noto Sans CJK SC" if story == "chinese" else "DejaVu Serif"
            lang = {"german": "de", "english": "en", "russian": "ru", "chinese": "zh"}[story]
            text = typst(STORIES[story], columns, lang, font)
            with tempfile.TemporaryDirectory() as folder:
                source = pathlib.Path(folder) / "in.typ"
                source.write_text(text)
                compiler.compile(str(source), output=str(path), font_paths=["/usr/share/fonts"])
        attempt(f"{story}-typst.pdf", "pdf", story, typst_pdf)
        if story in ("german", "english"):
            attempt(f"{story}-typst-columns.pdf", "pdf", story, lambda path: typst_pdf(path, 2))

    def tex(path, blocks, *options):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "in.tex").write_text(latex(blocks, *options))
            run("pdflatex", "-interaction=batchmode", "in.tex", cwd=folder)
            shutil.copy(pathlib.Path(folder) / "in.pdf", path)
    attempt("german-latex.pdf", "pdf", "german", lambda path: tex(path, GERMAN))
    attempt("german-latex-columns.pdf", "pdf", "german", lambda path: tex(path, GERMAN, True))
    attempt("english-latex-old.pdf", "pdf", "english", lambda path: tex(path, ENGLISH, False, "english", "OT1"))
    attempt("german-weasyprint-columns.pdf", "pdf", "german",
            lambda path: run("weasyprint", "-", str(path), input=html(GERMAN, columns, lang="de").encode()))

    def wkhtml(path):
        run("xvfb-run" if shutil.which("xvfb-run") else "wkhtmltopdf", *([] if not shutil.which("xvfb-run") else ["wkhtmltopdf"]),
            "-q", "--encoding", "utf-8", "-", str(path), input=html(GERMAN, plain_style).encode(), env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
    attempt("german-wkhtmltopdf.pdf", "pdf", "german", wkhtml)

    def groff(path):
        text = "".join(f".PP\n{line}\n" for line in plain(ENGLISH).replace("\t", " ").splitlines())
        page = subprocess.run(["groff", "-k", "-ms", "-Tps"], input=text.encode(), check=True, capture_output=True).stdout
        run("ps2pdf", "-", str(path), input=page)
    attempt("english-groff-ghostscript.pdf", "pdf", "english", groff)
    source = MADE / "german-libreoffice.pdf"
    if source.exists():
        attempt("german-ghostscript.pdf", "pdf", "german", lambda path: run("ps2pdf", str(source), str(path)))
        attempt("german-qpdf-packed.pdf", "pdf", "german", lambda path: run("qpdf", "--object-streams=generate", "--linearize", str(source), str(path)))
        attempt("german-qpdf-open-locked.pdf", "pdf", "german", lambda path: run("qpdf", "--encrypt", "", "owner", "256", "--", str(source), str(path)))
        attempt("german-qpdf-open-locked-old.pdf", "pdf", "german",
                lambda path: run("qpdf", "--allow-weak-crypto", "--encrypt", "", "owner", "128", "--use-aes=n", "--", str(source), str(path)))
        attempt("german-qpdf-open-locked-aes.pdf", "pdf", "german",
                lambda path: run("qpdf", "--allow-weak-crypto", "--encrypt", "", "owner", "128", "--use-aes=y", "--", str(source), str(path)))

    def reportlab(path):
        from reportlab.platypus import SimpleDocTemplate, Paragraph
        from reportlab.lib.styles import getSampleStyleSheet
        style = getSampleStyleSheet()["Normal"]
        SimpleDocTemplate(str(path)).build([Paragraph(line.replace("\t", " "), style) for line in plain(GERMAN).splitlines()])
    attempt("german-reportlab.pdf", "pdf", "german", reportlab)

    def fpdf2(path):
        import fpdf
        paper = fpdf.FPDF()
        paper.add_page()
        paper.add_font("dejavu", fname="/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
        paper.set_font("dejavu", size=11)
        for line in plain(RUSSIAN).splitlines():
            paper.multi_cell(0, 6, line.replace("\t", " "), new_x="LMARGIN", new_y="NEXT")
        paper.output(str(path))
    attempt("russian-fpdf.pdf", "pdf", "russian", fpdf2)


def hostile_sources():
    """Locked with a password: made by the programs, kept apart from what can be read."""
    locked = HERE / "locked"
    locked.mkdir(exist_ok=True)
    source = MADE / "german-libreoffice.pdf"
    if source.exists():
        for bits, name in [("256", "locked-256.pdf"), ("128", "locked-128.pdf")]:
            run("qpdf", "--allow-weak-crypto", "--encrypt", "secret", "owner", bits, "--", str(source), str(locked / name))


def main():
    shutil.rmtree(MADE, ignore_errors=True)
    MADE.mkdir()
    for step in [texts, word, open_text, rtf, epub, sheets, slides, pdf, hostile_sources]:
        step()
    for name, blocks in STORIES.items():
        (HERE / f"{name}.txt").write_text(plain(blocks))
    (HERE / "code.txt").write_text(CODE.replace("//", ""))
    (HERE / "prices.txt").write_text(table_text())
    words = [[str(cell) for cell in (row[0], row[1])] for row in PRICES]
    (HERE / "prices-words.txt").write_text("\n".join("\t".join(row) for row in words) + "\n")
    (HERE / "list.tsv").write_text("".join("\t".join(row) + "\n" for row in sorted(ROWS)))
    size = sum(path.stat().st_size for path in MADE.iterdir())
    print(f"{len(ROWS)} files of {len({kind for _, kind, _ in ROWS})} kinds, {size / 1e6:.2f} MB")


main()
