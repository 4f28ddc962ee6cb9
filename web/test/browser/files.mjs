// Files of every kind that is read, with the given words in them: what an attacker would send.
import { readFileSync } from 'node:fs';

const escaped = (text) => text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const each = (words, line) => words.map((text, at) => line(escaped(text), at)).join('');
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';

function crc(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

/** An archive whose entries are stored as they are. */
function zip(entries) {
  const [local, central] = [[], []];
  let offset = 0;
  for (const [name, text] of Object.entries(entries)) {
    const [title, data] = [Buffer.from(name), Buffer.from(text)];
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt32LE(crc(data), 10);
    about.writeUInt32LE(data.length, 14);
    about.writeUInt32LE(data.length, 18);
    about.writeUInt16LE(title.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    local.push(Buffer.from('PK\x03\x04'), about, title, data);
    central.push(Buffer.from('PK\x01\x02\x14\0'), about, place, title);
    offset += 30 + title.length + data.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  const count = Object.keys(entries).length;
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, directory, Buffer.from('PK\x05\x06'), end]);
}

/** The parts that every file of Office has, around its main one. */
function office(main, type, parts, related = []) {
  const folder = main.slice(0, main.lastIndexOf('/'));
  return zip({
    '[Content_Types].xml': `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${main}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`,
    '_rels/.rels': `${HEAD}<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="${main}"/></Relationships>`,
    [`${folder}/_rels/${main.slice(folder.length + 1)}.rels`]: `${HEAD}<Relationships xmlns="${RELATIONS}">${related.map(([id, kind, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${target}"/>`).join('')}</Relationships>`,
    ...parts,
  });
}

/** A file of OpenDocument: its words stand in paragraphs, somewhere in this body. */
function open(kind, body) {
  const names = ['office', 'text', 'table', 'drawing'].map((name) => `xmlns:${name === 'drawing' ? 'draw' : name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(' ');
  return zip({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    'content.xml': `${HEAD}<office:document-content ${names}><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
  });
}

const latin = (text) => text.replaceAll(/[^\x20-\x7e]/g, ' ');

function pdf(words) {
  const lines = words.map((text) => `(${latin(text).replaceAll(/[\\()]/g, '\\$&')}) Tj T*`).join('\n');
  const stream = `BT /F1 9 Tf 11 TL 20 800 Td\n${lines}\nET`;
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [3 0 R] /Count 1 >>', '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 2000 850] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>', `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'];
  let out = '%PDF-1.4\n';
  const places = objects.map((object, at) => {
    const place = out.length;
    out += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const table = out.length;
  out += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`;
  return Buffer.from(out, 'latin1');
}

/** So many kinds of files the server tells apart. */
export const KINDS = readFileSync(new URL('../../../crates/documents/src/kind.rs', import.meta.url), 'utf8').match(/pub enum DocumentKind \{([^}]*)\}/)[1].match(/\w+/g).length;

/** By the ending of its name: a file with these words, as bytes. */
export const FILES = {
  docx: (words) => office('word/document.xml', 'wordprocessingml.document', { 'word/document.xml': `${HEAD}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${each(words, (text) => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`)}</w:body></w:document>` }),
  xlsx: (words) =>
    office('xl/workbook.xml', 'spreadsheetml.sheet', {
      'xl/workbook.xml': `${HEAD}<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}"><sheets><sheet name="${escaped(words[0])}" sheetId="1" r:id="s1"/></sheets></workbook>`,
      'xl/worksheets/sheet1.xml': `${HEAD}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${each(words, (text, at) => `<row r="${at + 1}"><c r="A${at + 1}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c></row>`)}</sheetData></worksheet>`,
    }, [['s1', 'worksheet', 'worksheets/sheet1.xml']]),
  pptx: (words) =>
    office('ppt/presentation.xml', 'presentationml.presentation', {
      'ppt/presentation.xml': `${HEAD}<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${OFFICE}"><p:sldIdLst><p:sldId id="256" r:id="s1"/></p:sldIdLst></p:presentation>`,
      'ppt/slides/slide1.xml': `${HEAD}<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p:cSld><p:spTree><p:sp><p:txBody>${each(words, (text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`)}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
    }, [['s1', 'slide', 'slides/slide1.xml']]),
  epub: (words) =>
    zip({
      mimetype: 'application/epub+zip',
      'META-INF/container.xml': `${HEAD}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
      'book.opf': `${HEAD}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine></package>`,
      'c.xhtml': `${HEAD}<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>${escaped(words[0])}</h1>${each(words, (text) => `<p>${text}</p>`)}</body></html>`,
    }),
  odt: (words) => open('text', each(words, (text) => `<text:p>${text}</text:p>`)),
  ods: (words) => open('spreadsheet', `<table:table table:name="${escaped(words[0])}">${each(words, (text) => `<table:table-row><table:table-cell><text:p>${text}</text:p></table:table-cell></table:table-row>`)}</table:table>`),
  odp: (words) => open('presentation', `<draw:page draw:name="${escaped(words[0])}">${each(words, (text) => `<draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`)}</draw:page>`),
  pdf,
  rtf: (words) => Buffer.from(`{\\rtf1\\ansi ${words.map((text) => latin(text).replaceAll(/[\\{}]/g, '\\$&')).join('\\par\n')}}`),
  // Once as words, and once as what a browser would run.
  html: (words) => Buffer.from(`<!doctype html><html><head><title>${escaped(words[0])}</title></head><body>${each(words, (text) => `<p>${text}</p>`)}${words.join('\n')}</body></html>`),
  csv: (words) => Buffer.from(`name,value\n${words.map((text, at) => `${at},"${text.replaceAll('"', '""')}"`).join('\n')}\n`),
  md: (words) => Buffer.from(`# Words\n\n${words.join('\n\n')}\n`),
  json: (words) => Buffer.from(JSON.stringify(Object.fromEntries(words.map((text) => [text, { [text]: [text] }])), null, 2)),
  js: (words) => Buffer.from(words.map((text) => `// ${text}\nalert(${JSON.stringify(text)});\n`).join('')),
  txt: (words) => Buffer.from(words.join('\n')),
};
