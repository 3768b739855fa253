import {
  MONTH,
  NAMED_MONTH,
  NUMBERED_WEEK,
  NUMBERED_WEEK_OF_CYCLE,
  WEEK_OF_DAY,
  type PeriodLabel,
} from './period-label.js';

describe('a period label', () => {
  it.each<[PeriodLabel, string[], string[]]>([
    [
      WEEK_OF_DAY,
      ['TW 05 Mar 2026', 'TW 29 FEB 2024', 'TW 31 dec 2026'],
      [
        'TW 99 Mar 2026',
        'TW 05 Foo 2026',
        'TW 29 Feb 2026',
        'TW 31 Apr 2026',
        'TW 00 Mar 2026',
        'TW 05 Mar 0000',
        'TW 5 Mar 2026',
        'TW 05 Mar 2026 ',
      ],
    ],
    [NUMBERED_WEEK, ['2026-01', '2026-54'], ['2026-00', '2026-55', '2026-99', '0000-01', '2026-1']],
    [NUMBERED_WEEK_OF_CYCLE, ['TW 01/26', 'TW 54/00'], ['TW 00/26', 'TW 55/26', 'TW 1/26', 'TW 10/2026']],
    [MONTH, ['2026-01', '2026-12'], ['2026-00', '2026-13', '0000-01', '2026-1', '2026-01-01']],
    [NAMED_MONTH, ['Jan 2026', 'DEC 2026'], ['Foo 2026', 'Jan 0000', 'January 2026', 'Jan 26']],
  ])('case %#: matches its own form and existing dates only', ({ matches }, valid, invalid) => {
    expect(valid.filter((text) => !matches(text))).toEqual([]);
    expect(invalid.filter((text) => matches(text))).toEqual([]);
  });
});
