import { waitFor } from '@ssb/testing/in-process';
import { SinkFileFaults } from './sink-file-faults.js';

it('reports the unusable files of each sink until they are right, or the sink is gone', async () => {
  const calls: string[] = [];
  const note =
    (name: string) =>
    (topic: { readonly interface?: string; readonly detail?: string }): void =>
      void calls.push([name, topic.interface, topic.detail].filter(Boolean).join(' '));
  const treasury = { name: 'treasury', fileProblems: [new Error('no file')], isUsable: true };
  let sinks: (typeof treasury)[] = [treasury, { name: 'log', fileProblems: [], isUsable: true }];
  const task = new SinkFileFaults({
    faults: { raise: note('raise'), clear: note('clear'), forget: note('forget') },
    sinks: () => sinks,
    intervalMs: 5,
    onFailure: (error) => calls.push(String(error)),
  });
  task.start();
  await waitFor('the fault', () => calls.length >= 2);
  expect(calls.slice(0, 2)).toEqual(['raise treasury no file. The previous files stay in use.', 'clear log']);
  sinks = [{ ...treasury, fileProblems: [] }];
  await waitFor('its end', () => calls.includes('clear treasury') && calls.includes('forget log'));
  await task.stop();
});
