/** Diagrams: what is drawn, what stays code, and that nothing of them is more than shapes and words. */
import { describe, expect, test, vi } from 'vitest';
import { diagramOf } from '../../../src/markdown/diagram/index';
import { readFlow } from '../../../src/markdown/diagram/flow';
import { readSequence } from '../../../src/markdown/diagram/sequence';
import { Writer } from '../../../src/markdown/writer';
import { written } from './spec';

describe('flowcharts', () => {
  test('boxes, lines and their words are read', () => {
    const flow = readFlow('flowchart LR\n  %% a remark\n  A[Start] --> B{Is it "good"?}\n  B -->|yes| C([Done])\n  B -- no --> D[(Store)]\n  D -.-> A\n  C ==> E((End)) & F[/in/]\n  E --- F\n  classDef x fill:#f00\n  A:::x --o G')!;
    expect([...flow.boxes.values()].map(({ id, text, shape }) => [id, text, shape])).toEqual([
      ['A', 'Start', 'box'], ['B', 'Is it "good"?', 'diamond'], ['C', 'Done', 'pill'], ['D', 'Store', 'drum'], ['E', 'End', 'circle'], ['F', 'in', 'lean'], ['G', 'G', 'box'],
    ]);
    expect(flow.lines.map(({ from, to, text, kind, end }) => [from, to, text, kind, end].join(' '))).toEqual([
      'A B  solid arrow', 'B C yes solid arrow', 'B D no solid arrow', 'D A  dotted arrow', 'C E  thick arrow', 'C F  thick arrow', 'E F  solid ', 'A G  solid circle',
    ]);
  });

  test('groups hold their boxes, within each other too', () => {
    const flow = readFlow('graph TD\nsubgraph one [The first]\nA-->B\nsubgraph two\nC\nend\nend\nA --> two')!;
    expect([...flow.groups]).toEqual([['one', { title: 'The first', within: null }], ['two', { title: 'two', within: 'one' }]]);
    expect([...flow.boxes.values()].map(({ id, group }) => `${id} ${group}`)).toEqual(['A one', 'B one', 'C two']);
    expect(diagramOf('graph TD\nsubgraph one [The first]\nA-->B\nsubgraph two\nC\nend\nend\nA --> two')).not.toBeNull();
  });

  test('texts may be quoted, broken and long', () => {
    const flow = readFlow('flowchart TD\nA["f(x) [y] <br/> **bold**"] --> B("a, b; c")')!;
    expect([...flow.boxes.values()].map(({ text }) => text)).toEqual(['f(x) [y] \n bold', 'a, b; c']);
  });

  test.each([
    ['flowchart TD\nA{Ready?} -->|yes| B[Go]\nA -->|no| C[Wait]', 'x', ['Go', 'Wait']],
    ['flowchart LR\nA --> B[One]\nA --> C[Two]\nA --> D[Three]', 'y', ['One', 'Two', 'Three']],
    ['flowchart TD\nS --> A{a?}\nA -->|yes| B[First]\nA -->|no| C{c?}\nC -->|yes| D[Second]\nC -->|no| E[Third]', 'x', ['First', 'Second', 'Third']],
  ] as const)('the first branch comes first: %s', (text, across, names) => {
    const picture = diagramOf(text)!;
    const at = (name: string) => Number([...picture.querySelectorAll('text, tspan')].find((one) => one.textContent === name && one.hasAttribute(across))?.getAttribute(across) ?? NaN);
    const places = names.map(at);
    expect(places.every(Number.isFinite)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  test('it is a picture with a name', () => {
    const picture = diagramOf('flowchart TD\nA[Start] -->|go| B[End]')!;
    expect(picture.getAttribute('role')).toBe('img');
    expect(picture.getAttribute('aria-label')).toBe('Flowchart: Start to End (go)');
    expect(picture.querySelectorAll('.dg-box').length).toBe(2);
    expect(picture.querySelectorAll('.dg-tip').length).toBe(1);
  });
});

describe('sequences', () => {
  const TEXT = 'sequenceDiagram\n  autonumber\n  participant A as Alice\n  actor B\n  A->>+B: Hello <br> Bob\n  B-->>-A: Hi\n  Note over A,B: They talk\n  loop every day\n    A-)B: ping\n    alt ok\n      B--xA: no\n    else\n      B->>B: think\n    end\n  end\n  Note right of C: late\n';
  test('speakers and steps are read', () => {
    const sequence = readSequence(TEXT)!;
    expect(sequence.speakers.map(({ text, isPerson }) => `${text} ${isPerson}`)).toEqual(['Alice false', 'B true', 'C false']);
    expect(sequence.steps.map((step) => step.type).join(' ')).toBe('message message note open message open message part message close close note');
    expect(sequence.steps[0]).toEqual({ type: 'message', from: 0, to: 1, text: '1. Hello \n Bob', dotted: false, end: 'arrow' });
  });

  test('it is a picture with a name', () => {
    const picture = diagramOf(TEXT)!;
    expect(picture.getAttribute('aria-label')).toContain('Alice to B (1. Hello');
    expect(picture.querySelectorAll('.dg-frame').length).toBe(2);
  });
});

describe('what stays code', () => {
  test.each([
    'pie title Pets\n"Dogs" : 3',
    'classDiagram\nA <|-- B',
    'flowchart TD\nA -->',
    'flowchart TD\nA[unclosed --> B',
    'flowchart TD\nwhat is this?!',
    'sequenceDiagram\nA->>B: x\nend',
    'sequenceDiagram\nloop\nA->>B: x',
    'sequenceDiagram\nA says B',
    '',
    `flowchart TD\n${Array.from({ length: 201 }, (_, at) => `n${at}`).join('\n')}`,
    `flowchart TD\n${'A --> B\n'.repeat(401)}`,
    `sequenceDiagram\n${'A->>B: x\n'.repeat(401)}`,
    `flowchart TD\n${'A["'.repeat(8_000)}`,
  ])('%j', (text) => expect(diagramOf(text)).toBeNull());

  test('two hundred boxes and four hundred lines are drawn', () => {
    const lines = Array.from({ length: 400 }, (_, at) => `n${at % 200} --> n${(at * 7 + 3) % 200}`).join('\n');
    const picture = diagramOf(`flowchart TD\n${lines}`)!;
    expect(picture.querySelectorAll('rect').length).toBe(200);
  });

  test('words in it are words', () => {
    const picture = diagramOf('flowchart TD\nA["<img src=x onerror=alert(1)>"] -->|<script>| B[javascript:alert#40;1#41;]\nclick B "javascript:alert(1)"')!;
    expect(picture.textContent).toContain('<img src=x onerror=alert(1)>');
    for (const one of [picture, ...picture.querySelectorAll('*')]) {
      expect(one.namespaceURI).toBe('http://www.w3.org/2000/svg');
      for (const { name } of one.attributes) expect(name).not.toMatch(/^on|href|style|^id$/);
    }
  });
});

describe('in a reply', () => {
  test('it is code until the fence is closed; then a picture with its source one button away', async () => {
    const target = document.createElement('div');
    const writer = new Writer(target);
    for (const letter of '```mermaid\nflowchart TD\nA --> B\n') writer.text(letter);
    await new Promise((done) => setTimeout(done, 50));
    expect(target.querySelector('svg')).toBeNull();
    expect(target.querySelector('code')?.textContent).toBe('flowchart TD\nA --> B\n');
    for (const letter of '```\n\nAfter.') writer.text(letter);
    await vi.waitFor(() => expect(target.querySelector('figure svg')).not.toBeNull());
    const [frame, button] = [target.querySelector('pre')!, target.querySelector<HTMLElement>('button.source')!];
    expect([frame.hidden, button.textContent]).toEqual([true, 'Show source']);
    button.click();
    expect([frame.hidden, button.textContent]).toEqual([false, 'Show diagram']);
  });

  test('another kind says that it stays code', async () => {
    const node = written('- a\n\n  ```mermaid\n  gantt\n  ```\n');
    await vi.waitFor(() => expect(node.querySelector('.hint')).not.toBeNull());
    expect(node.querySelector('pre')?.hidden).toBe(false);
  });
});
