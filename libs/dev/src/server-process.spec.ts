import { hasEnded } from './server-process.js';

it.each<[string, string, string, boolean]>([
  ['runs', 'S (sleeping)', '5', false],
  ['is a zombie', 'Z (zombie)', '1', true],
  ['was killed, but has threads that hold its port', 'Z (zombie)', '3', false],
])('a process that %s', (_, state, threads, expected) => {
  expect(hasEnded(`Name:\tredis-server\nState:\t${state}\nThreads:\t${threads}\n`)).toBe(expected);
});

it('a process whose status cannot be read has not ended', () => {
  expect(hasEnded('')).toBe(false);
});
