import { AttemptQueue } from './attempt-queue.js';

/** Adds attempts such as `a1`: its network is `a`. A number of presentations can follow after a colon. */
function queueOf(names: string, limits = { perNetwork: 3, total: 6 }): AttemptQueue<string> {
  const queue = new AttemptQueue<string>(limits);
  for (const name of names.split(' ')) add(queue, name);
  return queue;
}

function add(queue: AttemptQueue<string>, name: string): string | undefined {
  const [value = '', presentations = '1'] = name.split(':');
  return queue.add({ network: value[0] ?? '', presentations: Number(presentations), value })?.value;
}

function takeAll(queue: AttemptQueue<string>): string {
  const taken: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next.value);
  expect(queue.length).toBe(0);
  return taken.join(' ');
}

describe('AttemptQueue', () => {
  it.each([
    ['serves the networks in turn', 'a1 a2 a3 b1 c1 c2', 'a1 b1 c1 a2 c2 a3'],
    ['serves the most repeated attempt of a network first', 'a1 a2:3 a3:2', 'a2 a3 a1'],
    ['serves a network in turn however often its attempts are repeated', 'a1 b1:9 b2:9 a2', 'a1 b1 a2 b2'],
  ])('%s', (_what, added, taken) => {
    expect(takeAll(queueOf(added))).toBe(taken);
  });

  it.each([
    ['is full for an attempt that is not repeated more often', 'a1 a2 a3', 'a4', 'a4'],
    ['displaces the last attempt that is repeated less often', 'a1:2 a2 a3', 'a4:2', 'a3'],
    ['does not limit another network', 'a1 a2 a3', 'b1', undefined],
  ])('a network %s', (_what, added, next, displaced) => {
    expect(add(queueOf(added), next)).toBe(displaced);
  });

  it.each([
    ['displaces from the longest network for a shorter one', 'a1 a2 a3 b1 b2 c1', 'd1', 'a3'],
    ['is full when every network is as short', 'a1 b1 c1 d1 e1 f1', 'g1', 'g1'],
    ['takes a repeated attempt in place of one that is not', 'a1 b1 c1 d1 e1 f1', 'g1:2', 'a1'],
  ])('the whole queue %s', (_what, added, next, displaced) => {
    const queue = queueOf(added);
    expect(add(queue, next)).toBe(displaced);
    expect(queue.length).toBe(6);
  });
});
