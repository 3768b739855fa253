import { chooseProxy, NoProxyList } from './proxy-settings.js';

const PROXY = 'http://user:password@proxy.example:3128';

function choose(target: string, ...exceptions: string[]): string | undefined {
  const except = NoProxyList.parse(exceptions);
  if (except === undefined) throw new Error('the list is not valid');
  return chooseProxy(new URL(target), { url: PROXY, except });
}

it.each([
  'https://gateway.example',
  'wss://gateway.example/events',
  'https://10.1.2.3:8443',
  'https://[fd00::1]',
])('is used for %s', (target) => {
  expect(choose(target, 'other.example', '10.9.0.0/16')).toBe(PROXY);
  expect(chooseProxy(new URL(target), undefined)).toBeUndefined();
  expect(choose(target, '*')).toBeUndefined();
});

it.each([
  'http://gateway.example',
  'ws://gateway.example',
  'https://localhost:4002',
  'https://market.localhost',
  'https://127.0.0.1:4002',
  'https://127.8.8.8',
  'https://2130706433',
  'https://[::1]:4002',
  'https://[::ffff:127.0.0.1]',
])('is never used for %s', (target) => {
  expect(choose(target)).toBeUndefined();
});

it.each([
  [
    'example.org',
    ['https://example.org', 'https://a.EXAMPLE.org:8443', 'https://example.org.'],
    ['https://badexample.org', 'https://example.org.evil'],
  ],
  ['.example.org', ['https://example.org', 'wss://a.b.example.org'], ['https://badexample.org']],
  ['*.Example.org', ['https://a.example.org'], ['https://example.com']],
  ['example.org:8443', ['https://example.org:8443'], ['https://example.org']],
  ['example.org:443', ['https://example.org', 'wss://example.org'], ['https://example.org:8443']],
  ['10.1.2.3', ['https://10.1.2.3:8443', 'https://[::ffff:10.1.2.3]'], ['https://10.1.2.4']],
  ['10.1.2.3:8443', ['https://10.1.2.3:8443'], ['https://10.1.2.3']],
  ['10.0.0.0/8', ['https://10.200.0.1'], ['https://11.0.0.1', 'https://ten.example']],
  ['fd00::/8', ['https://[fd00::1]:8443'], ['https://[fe80::1]']],
  ['[fd00::1]:8443', ['https://[fd00::1]:8443'], ['https://[fd00::1]']],
])('is not used for what %s names', (entry, direct, proxied) => {
  for (const target of direct) expect([target, choose(target, entry)]).toEqual([target, undefined]);
  for (const target of proxied) expect([target, choose(target, entry)]).toEqual([target, PROXY]);
});

it.each(['10.0.0.0/33', 'a b', 'http://example.org', 'example.org:port', '[fd00::1', '192.168.*'])(
  'refuses %s',
  (entry) => {
    expect(NoProxyList.parse([entry])).toBeUndefined();
  },
);
