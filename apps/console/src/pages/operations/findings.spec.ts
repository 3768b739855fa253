import { splitFinding } from './findings.js';

it('leads to the page of an address of the API', () => {
  expect(
    splitFinding('3 events could not be published: read the reasons in /v1/dead-letters, correct them.'),
  ).toEqual([
    { text: '3 events could not be published: read the reasons in ' },
    { text: 'the dead letters', to: '/operations/dead-letters' },
    { text: ', correct them.' },
  ]);
});

it('leaves other addresses and sentences as they are', () => {
  expect(splitFinding('Read /v1/unknown.')).toEqual([
    { text: 'Read ' },
    { text: '/v1/unknown' },
    { text: '.' },
  ]);
  expect(splitFinding('All apps respond.')).toEqual([{ text: 'All apps respond.' }]);
});

it('finds times', () => {
  expect(splitFinding('No delivery since 2026-11-30T10:00:00.000Z (timeout)')).toEqual([
    { text: 'No delivery since ' },
    { text: '2026-11-30T10:00:00.000Z', isTime: true },
    { text: ' (timeout)' },
  ]);
});
