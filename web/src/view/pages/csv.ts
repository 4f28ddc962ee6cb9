/** Tables as files that a spreadsheet opens. */

/** One line. A value that a spreadsheet would take for a formula is told as words. */
export function csvLine(values: (string | number | null | undefined)[]): string {
  return values
    .map((value) => {
      const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? '');
      return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    })
    .join(',');
}

/** Has the browser save it. */
export function saveCsv(name: string, head: string[], rows: (string | number | null | undefined)[][]): void {
  // The mark at the beginning tells spreadsheets that it is UTF-8.
  const text = `\ufeff${[head, ...rows].map(csvLine).join('\r\n')}\r\n`;
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  anchor.download = `${name}.csv`;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}
