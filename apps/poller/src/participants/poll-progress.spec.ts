import { PollProgress } from './poll-progress.js';

let now: number;
let progress: PollProgress;

beforeEach(() => {
  now = 1_000;
  progress = new PollProgress({ prudential: 100, settlement: 200 }, () => now);
});

it('is required of each interface', () => {
  now += 100;
  progress.assertRecent();
  progress.record('settlement');
  now += 1;
  expect(() => progress.assertRecent()).toThrow('No poll of the prudential interface started or ended');
  progress.record('prudential');
  progress.assertRecent();
  now += 100;
  progress.record('prudential');
  now += 101;
  progress.record('prudential');
  expect(() => progress.assertRecent()).toThrow('No poll of the settlement interface started or ended');
});

it('begins again with the lease', () => {
  now += 1_000;
  progress.restart();
  progress.assertRecent();
});
