import { explainClose } from './explain-close.js';

it.each([
  ['invoice-discrepancy', true, /^No event ends this problem/],
  ['bridge-fault', true, /^No event ends this problem/],
  ['disagreement', false, /^It stays closed/],
  ['margin', false, /opens another problem\. A margin .* acknowledge it instead\.$/],
  ['statement-overdue', false, /opens another problem\. To say/],
] as const)('explains what closing a problem of kind %s means', (kind, closedByPerson, text) => {
  expect(explainClose({ kind, closedByPerson })).toMatch(text);
});
