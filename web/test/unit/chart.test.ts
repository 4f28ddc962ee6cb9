import { describe, expect, test, vi } from 'vitest';
import { drawChart, readNumbers, ticks, type Kind, type Look } from '../../src/draw/chart';
import '../../src/hml/chart';
import type { HmlChart } from '../../src/hml/chart';

const look = (kind: Kind): Look => ({ kind, unit: '', x: '', y: '', width: 600, height: 260, name: 'A chart' });

describe('numbers', () => {
  test('come as CSV, in the manner of several countries', () => {
    expect(readNumbers('Month,Sold,"Left, all"\nJan,1,"1,234.5"\n"Feb ""x""",,-3%\n', true)).toEqual({ names: ['Month', 'Sold', 'Left, all'], rows: [{ x: 'Jan', values: [1, 1234.5] }, { x: 'Feb "x"', values: [null, -3] }], isCut: false });
    expect(readNumbers('a;b\n1;1.234,5', true).rows).toEqual([{ x: '1', values: [1234.5] }]);
    expect(readNumbers('a\tb\nx\tnone', true).rows).toEqual([{ x: 'x', values: [null] }]);
  });

  test('a row is one when its line is whole', () => {
    const csv = 'a,b\n1,20\n2,30';
    expect(readNumbers(csv, false).rows.length).toBe(1);
    expect(readNumbers(csv, true).rows.length).toBe(2);
    expect(readNumbers('a,', false).names).toEqual([]);
  });

  test('more than can be shown is cut, and said', () => {
    const many = readNumbers(`x,${Array.from({ length: 13 }, (_, at) => at).join()}\n${'1,2\n'.repeat(2_001)}`, true);
    expect([many.names.length, many.rows.length, many.isCut]).toEqual([13, 2_000, true]);
  });

  test.each([[0, 10, [0, 2, 4, 6, 8, 10]], [-3, 7, [-4, -2, 0, 2, 4, 6, 8]], [0, 0, [0, 0.2, 0.4, 0.6, 0.8, 1].slice(0, 2)], [1e9, 1e9 + 1, undefined]] as const)('ticks from %d to %d are round', (low, high, found) => {
    const made = ticks(low, high, 5);
    if (found && low !== high) expect(made).toEqual(found);
    expect(made.length).toBeGreaterThan(1);
    expect(made.length).toBeLessThan(50);
    expect(made[0]).toBeLessThanOrEqual(low);
    expect(made.at(-1)).toBeGreaterThanOrEqual(high);
  });
});

describe('pictures', () => {
  const numbers = readNumbers('Year,North,South\n2020,1,4\n2021,-2,\n2023,3,5\n', true);
  test.each([['line', 'path.ch-line', 2], ['area', 'path.ch-area', 3], ['bar', 'rect.ch-bar', 5], ['stacked', 'rect.ch-bar', 5], ['scatter', 'circle.ch-dot', 5]] as const)('%s', (kind, shape, count) => {
    const picture = drawChart(numbers, look(kind));
    expect(picture.querySelectorAll(shape).length).toBe(count);
    expect(picture.getAttribute('aria-label')).toBe('A chart');
    for (const one of picture.querySelectorAll('*')) for (const { name, value } of one.attributes) expect(value, `${one.localName} ${name}`).not.toMatch(/NaN|Infinity|undefined/);
  });

  test.each(['', 'a', 'a,b', 'a,b\nx,', 'a,b\nx,1e308\ny,-1e308', 'a,b\n1,5\n1,5', `a,b\n${'9'.repeat(400)},1`, '<img>,<b>\n<i>,1'])('%j is survived', (csv) => {
    const picture = drawChart(readNumbers(csv, true), look('line'));
    expect(picture.querySelector('img, b, i')).toBeNull();
    for (const one of picture.querySelectorAll('*')) for (const { value } of one.attributes) expect(value).not.toMatch(/NaN/);
  });
});

test('the element shows a picture, and its numbers as a table', async () => {
  const node = document.createElement('hml-chart') as HmlChart;
  node.element = { id: 'a', parent_id: null, type: 'chart', attributes: { kind: 'bar', title: 'Rain', unit: 'mm' }, content: 'Day,Rain\nMon,3\nTue,1234567.891', done: true };
  document.body.append(node);
  await vi.waitFor(() => expect(node.drawing).not.toBeNull());
  node.width = 500;
  await node.updateComplete;
  expect(node.querySelector('svg')?.getAttribute('aria-label')).toBe('Rain: chart with 2 rows of Rain');
  expect(node.querySelectorAll('rect.ch-bar').length).toBe(2);
  // Who hears the page has the numbers without a click, and who sees the table has each of its digits.
  const cells = () => [...node.querySelectorAll('td')].map((cell) => cell.textContent);
  expect(cells()).toEqual(['Mon', '3', 'Tue', '1,234,567.891']);
  expect(node.querySelector('.unseen table')).not.toBeNull();
  node.querySelector('button')!.click();
  await node.updateComplete;
  expect(node.querySelector('.unseen')).toBeNull();
  expect(node.querySelector('.plotted table')).not.toBeNull();
  expect(cells()).toEqual(['Mon', '3', 'Tue', '1,234,567.891']);
});
