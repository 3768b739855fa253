import { MARGIN_LEVELS, marginEventType, type MarginLevel } from './margin.js';

it('a worse level has the type of that level, a better one is restored, and only a breach is announced again', () => {
  const types = MARGIN_LEVELS.map((previous) => MARGIN_LEVELS.map((level) => typeOf(previous, level)));
  expect(types).toEqual([
    ['unchanged', 'warning', 'breached'],
    ['restored', 'unchanged', 'breached'],
    ['restored', 'restored', 'breached'],
  ]);
});

function typeOf(previous: MarginLevel, level: MarginLevel): string | undefined {
  try {
    return marginEventType(previous, level).split('.')[2];
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
    return 'unchanged';
  }
}
