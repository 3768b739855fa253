import { chooseMediaType } from './media-type.js';

it.each([
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['text/plain', 'text/plain'],
  ['text/json', 'text/json'],
  ['TEXT/JSON; charset=utf-8', 'text/json'],
  ['application/json, text/json, text/plain', 'application/json'],
  ['text/plain, application/json;q=0.9', 'text/plain'],
  ['text/*', 'text/plain'],
  ['text/*, text/plain;q=0', 'text/json'],
  ['application/json;q=0, */*', 'text/plain'],
  ['text/html, application/xml;q=0.9', 'application/json'],
  ['text/plain;q=nonsense, text/json;q=0.1', 'text/json'],
])('Accept %s gets %s', (accept, type) => {
  expect(chooseMediaType(accept)).toBe(type);
});
