import { expect, it } from '@jest/globals';
import { unstorableKeys } from './storable-key.js';

it.each([
  [{ participantCode: 'WPGENCO' }, []],
  [{ participantCode: 'Ærø & Sons 2' }, []],
  [{ timeline: {} }, []],
  [{ participantCode: '' }, ['participantCode']],
  [{ participantCode: 'A\u0000B' }, ['participantCode']],
  [{ participantCode: 'A\nB' }, ['participantCode']],
  [{ statement: { participantCode: '\ud800' } }, ['statement.participantCode']],
  [{ participantCode: 'A', invoice: { id: '\t' } }, ['invoice.id']],
])('%j cannot be kept by %j', (load, paths) => {
  expect(unstorableKeys(load).map(({ path }) => path)).toEqual(paths);
});
