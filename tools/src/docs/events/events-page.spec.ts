import { renderEventsPage } from './events-page.js';
import { readExample } from './example-files.js';

const page = renderEventsPage((type) => readExample(type).data);
const sections = new Map(page.split('\n## ').map((section) => [section.split('\n', 1)[0], section] as const));

it('has a section for each type, in the order of the overview', () => {
  const linked = [...(sections.get('Overview') ?? '').matchAll(/^\| \[([\w.-]+)\]/gm)].map(
    ([, name]) => name,
  );
  expect(linked).toHaveLength(26);
  expect([...sections.keys()].slice(2)).toEqual(linked);
});

it.each([
  ['statement.published', '| `totals.payment` | decimal |'],
  ['statement.published', '| `variables[].value` | decimal |'],
  ['statement.published', '| operation 5, value with pOrC P |'],
  ['statement.published', '| `restated` ? | true |'],
  ['statement.published', '| kind | fact |'],
  ['invoice.issued', '| precision of `time` | a market date, at midnight |'],
  ['margin.breached', '| kind | state |'],
  ['margin.breached', '| `level` | BREACHED |'],
  ['bridge.alert.raised', '[/<channel>]'],
  ['payment.due', '"direction": "pay"'],
])('the section of %s has %s', (name, text) => {
  expect(sections.get(name)).toContain(text);
});
