import type { ParticipantPosition, PresentPosition } from '../../../api/operations.js';
import { sortPositions, splitPositions } from './order-positions.js';

function position(
  participant: string,
  level?: PresentPosition['level'],
  headroomToBreach?: string,
): ParticipantPosition {
  return {
    participant,
    latest: {
      eventId: '',
      tradingDay: '2026-12-01',
      calculatedAt: '2026-12-01T00:00:00Z',
      ...(level && { level }),
      ...(headroomToBreach !== undefined && {
        thresholds: { source: 'event', warning: '0', breach: '0', headroomToBreach },
      }),
    },
    forecasts: [],
    bucketSeconds: 60,
    since: '',
    until: '',
    calculated: [],
    forecast: [],
  };
}

const namesOf = (positions: readonly ParticipantPosition[]): readonly string[] =>
  positions.map(({ participant }) => participant);

it('has the worst first', () => {
  const sorted = sortPositions([
    position('FINE', 'OK', '900'),
    position('CLOSE', 'OK', '100.5'),
    position('UNKNOWN'),
    position('WARNED', 'WARNING', '20'),
    position('DEEP', 'BREACHED', '-1000'),
    position('SHALLOW', 'BREACHED', '-9'),
  ]);
  expect(namesOf(sorted)).toEqual(['DEEP', 'SHALLOW', 'WARNED', 'UNKNOWN', 'CLOSE', 'FINE']);
});

it('gives a few participants cards', () => {
  const all = ['A', 'B', 'C', 'D'].map((name) => position(name, 'OK'));
  expect(splitPositions(all)).toEqual({ cards: all, rows: [] });
});

it.each([
  [0, 3],
  [5, 5],
  [20, 6],
])('of twenty of which %i need attention, %i have cards', (attention, cards) => {
  const all = Array.from({ length: 20 }, (_, index) =>
    position(`P${index}`, index < attention ? 'BREACHED' : 'OK'),
  );
  const split = splitPositions(all);
  expect(split.cards).toEqual(all.slice(0, cards));
  expect(split.rows).toEqual(all.slice(cards));
});
