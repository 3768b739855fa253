import type { DetectionSettings, DisagreementWindow } from '@ssb/config';
import { MAX_REPETITIONS, type Fact } from '@ssb/events';
import type { SettlementStatementSummary } from '@ssb/market';
import { detectStatement } from './detect-statement.js';
import { detectDisagreement, hasOpenWindow, MAX_WINDOWS } from './disagreement.js';
import {
  at,
  dataOf,
  play,
  idsOf,
  REVISED,
  RUN,
  SETTINGS,
  STATEMENT,
  time,
  typesOf,
  type Step,
} from '../../../test/support/settlement.js';
import { formatState, NEW_STATEMENT, parseStatementState, type StatementState } from './states.js';

const FORM = { parse: parseStatementState, format: formatState };

/** Thursday, 2026-03-12, is the day of the publication. */
const PUBLISHED = time('2026-03-12T17:00:05');

const settingsOf = (
  window: Partial<DisagreementWindow> = {},
  holidays: string[] = [],
): DetectionSettings => ({
  ...SETTINGS,
  disagreement: { WEM: { INITIAL: { businessDays: 10, remind: [5, 1], ...window } } },
  calendar: { ...SETTINGS.calendar, holidays: new Set(holidays) },
});
const WINDOW = settingsOf();

const serve =
  (
    changes: Partial<SettlementStatementSummary> = {},
    now = '2026-03-12T18:00:00',
    settings = WINDOW,
  ): Step<StatementState> =>
  (state) =>
    detectStatement(state, RUN, { ...STATEMENT, publishedAt: PUBLISHED, ...changes }, at(now, settings));
const revise = (now = '2026-03-14T10:00:00', settings = WINDOW): Step<StatementState> =>
  serve(REVISED, now, settings);
const check =
  (now: string, settings = WINDOW): Step<StatementState> =>
  (state = NEW_STATEMENT) =>
    detectDisagreement(state, RUN, at(now, settings));

const describeFact = ({ type, data }: Fact): string => {
  const kind = type.slice('settlementbus.statement.'.length, -'.v1'.length);
  const {
    publishedAt,
    disagreeUntil = '',
    reminder,
    remindOn,
    businessDaysLeft,
  } = data as Record<string, string>;
  const due =
    reminder === undefined ? '' : `, ${reminder} on ${remindOn?.slice(5)}, ${businessDaysLeft} left`;
  return `${kind} ${publishedAt?.slice(5, 10)} until ${disagreeUntil.slice(5)}${due}`;
};
/** What the steps announced, without the first publication. */
const playAll = (...steps: Step<StatementState>[]): string[] =>
  play(FORM, undefined, serve(), ...steps)
    .flat()
    .map(describeFact)
    .slice(1);

it('announces the window of a publication', () => {
  const [facts = []] = play(FORM, undefined, serve());
  const [{ digest, disagreeUntil } = {}] = dataOf('settlementbus.statement.published.v1', facts);
  expect(disagreeUntil).toBe('2026-03-26');
  const [, [due] = [], , [lapsed] = []] = play(
    FORM,
    undefined,
    serve(),
    check('2026-03-19T00:00:00'),
    check('2026-03-26T23:59:59', settingsOf({ remind: [] })),
    check('2026-03-27T00:00:00'),
  );
  const window = {
    marketService: 'WEM',
    designation: 'INITIAL',
    periodFrom: '2026-03-01T00:00:00',
    runId: 4711,
    publishedAt: '2026-03-12T17:00:05',
    digest,
    disagreeUntil: '2026-03-26',
  };
  expect(due).toEqual({
    type: 'settlementbus.statement.disagreement-due.v1',
    data: { ...window, reminder: 5, remindOn: '2026-03-19', businessDaysLeft: 5 },
  });
  expect(lapsed).toEqual({ type: 'settlementbus.statement.disagreement-lapsed.v1', data: window });
});

describe('when it is announced, in market days', () => {
  it.each<[string, Step<StatementState>[], string[]]>([
    ['the second before the day of a reminder', [check('2026-03-18T23:59:59')], []],
    [
      'each reminder on its day, and the end after the last day',
      [
        check('2026-03-19T00:00:00'),
        check('2026-03-24T23:59:59'),
        check('2026-03-25T00:00:00'),
        check('2026-03-26T23:59:59'),
        check('2026-03-27T00:00:00'),
        check('2026-03-28T00:00:00'),
      ],
      [
        'disagreement-due 03-12 until 03-26, 5 on 03-19, 5 left',
        'disagreement-due 03-12 until 03-26, 1 on 03-25, 1 left',
        'disagreement-lapsed 03-12 until 03-26',
      ],
    ],
    [
      'only the most urgent reminder after a pause',
      [check('2026-03-26T12:00:00')],
      ['disagreement-due 03-12 until 03-26, 1 on 03-25, 0 left'],
    ],
    [
      'on a weekend, with the business days that are left',
      [check('2026-03-21T12:00:00')],
      ['disagreement-due 03-12 until 03-26, 5 on 03-19, 4 left'],
    ],
    ['nothing when the window ended without a reminder', [check('2026-03-27T00:00:00')], []],
  ])('%s', (_, steps, expected) => {
    expect(playAll(...steps)).toEqual(expected);
  });
});

describe('the last day', () => {
  it.each<[number, string[], string, string]>([
    [1, [], '2026-03-12T00:00:00', '2026-03-13'],
    [1, [], '2026-03-13T23:59:59', '2026-03-16'],
    [1, [], '2026-03-14T10:00:00', '2026-03-16'],
    [5, ['2026-03-16', '2026-03-15'], '2026-03-12T10:00:00', '2026-03-20'],
    [400, [], '2026-03-12T10:00:00', '2027-09-23'],
  ])('%i business days with the holidays %j after %s: %s', (businessDays, holidays, published, expected) => {
    const settings = settingsOf({ businessDays, remind: [0] }, holidays);
    const [fact] = serve({ publishedAt: time(published) }, '2026-03-14T12:00:00', settings)(undefined).facts;
    expect(fact?.data).toMatchObject({ disagreeUntil: expected });
  });

  it.each(['0001-01-01T00:00:00', '9999-12-31T23:59:59'])('of a statement that is dated %s', (published) => {
    const { state, facts } = serve({ publishedAt: time(published) })(undefined);
    expect(facts).toHaveLength(1);
    expect(check('2026-03-26T12:00:00')(state).facts).toEqual([]);
  });

  it('is unknown without settings for the market and the designation', () => {
    for (const disagreement of [{}, { WEM: { ADJ1: { businessDays: 10, remind: [5] } } }]) {
      const settings = { ...SETTINGS, disagreement };
      const { state, facts } = serve({}, '2026-03-12T18:00:00', settings)(undefined);
      expect(facts[0]?.data).not.toHaveProperty('disagreeUntil');
      expect(check('2026-03-26T12:00:00', settings)(state)).toMatchObject({ facts: [], state });
    }
  });
});

describe('a revision', () => {
  it('starts its own window, and that of the earlier version continues', () => {
    expect(
      playAll(
        revise(),
        check('2026-03-19T00:00:00'),
        check('2026-03-20T00:00:00'),
        check('2026-03-27T00:00:00'),
        check('2026-03-28T00:00:00'),
      ),
    ).toEqual([
      'revised 03-14 until 03-27',
      'disagreement-due 03-12 until 03-26, 5 on 03-19, 5 left',
      'disagreement-due 03-14 until 03-27, 5 on 03-20, 5 left',
      'disagreement-lapsed 03-12 until 03-26',
      'disagreement-due 03-14 until 03-27, 1 on 03-26, 0 left',
      'disagreement-lapsed 03-14 until 03-27',
    ]);
  });

  it.each<[string, Partial<SettlementStatementSummary>, string[]]>([
    ['figures', { tradingDays: REVISED.tradingDays }, ['03-26', '03-26']],
    ['run id', { runId: 4712 }, ['03-26']],
  ])('that has only another %s under the same publishedAt', (_, changes, expected) => {
    const change = serve(changes, '2026-03-13T10:00:00');
    const dues = play(FORM, undefined, serve(), change, check('2026-03-19T00:00:00'))[2] ?? [];
    expect(dues.map(({ data }) => (data as { disagreeUntil: string }).disagreeUntil.slice(5))).toEqual(
      expected,
    );
    expect(new Set(idsOf(dues)).size).toBe(expected.length);
  });

  it('of an earlier version that comes back continues the window of that version', () => {
    expect(
      playAll(
        check('2026-03-19T00:00:00'),
        revise('2026-03-19T10:00:00'),
        serve({}, '2026-03-19T11:00:00'),
        serve({}, '2026-03-19T13:00:00'),
        check('2026-03-19T14:00:00'),
      ).filter((text) => !text.startsWith('published')),
    ).toEqual([
      'disagreement-due 03-12 until 03-26, 5 on 03-19, 5 left',
      'revised 03-14 until 03-27',
      'revised 03-12 until 03-26',
    ]);
  });

  it('keeps a bounded number of windows, those with a reminder first, and says how many are left out', () => {
    const publish = (minute: number): Step<StatementState> =>
      serve(
        { runId: 5000 + minute, publishedAt: time(`2026-03-19T10:${String(minute).padStart(2, '0')}:00`) },
        '2026-03-19T11:00:00',
      );
    let state = check('2026-03-19T00:00:00')(serve()(undefined).state).state;
    for (let count = 1; count <= MAX_WINDOWS; count += 1) {
      const detected = publish(count)(state);
      expect(detected.leftOut ?? []).toEqual([]);
      ({ state } = detected);
    }
    const detected = publish(MAX_WINDOWS + 1)(state);
    const leftOut = [{ what: 'windows to dispute a statement', count: 1, kept: MAX_WINDOWS }];
    expect(detected.leftOut).toEqual(leftOut);
    expect(detected.state.windows).toHaveLength(MAX_WINDOWS);
    expect(detected.state.windows?.[0]?.reminded).toEqual({ disagreeUntil: '2026-03-26', reminder: 5 });
    const again = (now: string) =>
      serve({ runId: 5021, publishedAt: time('2026-03-19T10:21:00') }, now)(detected.state).leftOut;
    expect(again('2026-04-02T23:59:59')).toEqual(leftOut);
    expect(again('2026-04-03T00:00:00') ?? []).toEqual([]);
  });
});

describe('changed settings', () => {
  it('apply to statements that were published before', () => {
    const none = { ...SETTINGS, disagreement: {} };
    expect(playAll(check('2026-03-20T00:00:00', none), check('2026-03-20T01:00:00'))).toEqual([
      'disagreement-due 03-12 until 03-26, 5 on 03-19, 4 left',
    ]);
  });

  it('move the last day, and the reminders with it', () => {
    const longer = settingsOf({ businessDays: 12 });
    expect(
      playAll(
        check('2026-03-19T00:00:00'),
        check('2026-03-20T00:00:00', longer),
        check('2026-03-27T00:00:00', longer),
        check('2026-03-28T00:00:00', settingsOf({ businessDays: 11 })),
      ),
    ).toEqual([
      'disagreement-due 03-12 until 03-26, 5 on 03-19, 5 left',
      'disagreement-due 03-12 until 03-30, 1 on 03-27, 1 left',
      'disagreement-lapsed 03-12 until 03-27',
    ]);
  });

  it('raise no less urgent reminder of the same last day', () => {
    const [first, second] = [settingsOf({ remind: [1] }), settingsOf({ remind: [5] })];
    expect(playAll(check('2026-03-25T00:00:00', first), check('2026-03-25T01:00:00', second))).toHaveLength(
      1,
    );
  });

  it('that are gone end a reminded window on the day that was announced', () => {
    const none = { ...SETTINGS, disagreement: {} };
    expect(
      playAll(
        check('2026-03-19T00:00:00'),
        check('2026-03-26T23:59:59', none),
        check('2026-03-27T00:00:00', none),
      ),
    ).toEqual([
      'disagreement-due 03-12 until 03-26, 5 on 03-19, 5 left',
      'disagreement-lapsed 03-12 until 03-26',
    ]);
  });
});

describe('settings that are corrected', () => {
  const wrong = settingsOf({ businessDays: 2, remind: [1] });
  const mistake = [
    check('2026-03-19T00:00:00'),
    check('2026-03-19T10:00:00', wrong),
    check('2026-03-19T11:00:00'),
  ];
  const announced = [
    'disagreement-due 03-12 until 03-26, 5 on 03-19, 5 left',
    'disagreement-lapsed 03-12 until 03-16',
    'disagreement-due 03-12 until 03-26, 5 on 03-19, 5 left',
  ];

  it('announce the window again, under other ids', () => {
    const twice = [...mistake, ...mistake.slice(1), check('2026-03-27T00:00:00')];
    expect(playAll(...twice)).toEqual([
      ...announced,
      ...announced.slice(1),
      'disagreement-lapsed 03-12 until 03-26',
    ]);
    const facts = play(FORM, undefined, serve(), ...twice).flat();
    expect(new Set(idsOf(facts)).size).toBe(facts.length);
    expect(facts.map(({ data }) => (data as { repetition?: number }).repetition ?? 1)).toEqual([
      1, 1, 1, 2, 2, 3, 1,
    ]);
  });

  it('announce it again when a holiday was added by mistake', () => {
    const holiday = settingsOf({}, ['2026-03-20']);
    const facts = play(
      FORM,
      undefined,
      serve(),
      check('2026-03-19T00:00:00'),
      check('2026-03-20T00:00:00', holiday),
      check('2026-03-20T01:00:00'),
    ).flat();
    expect(facts.slice(1).map(describeFact)).toEqual([
      'disagreement-due 03-12 until 03-26, 5 on 03-19, 5 left',
      'disagreement-due 03-12 until 03-27, 5 on 03-19, 5 left',
      'disagreement-due 03-12 until 03-26, 5 on 03-19, 4 left',
    ]);
    expect(new Set(idsOf(facts)).size).toBe(facts.length);
  });

  it('announce that of a replaced version again', () => {
    const [published, ...all] = playAll(revise('2026-03-14T10:00:00'), ...mistake);
    expect(published).toMatch('revised');
    expect(all).toEqual(announced);
  });

  it('raise the same a bounded number of times, and report the rest', () => {
    let state = serve()(undefined).state;
    const facts: Fact[] = [];
    for (let count = 0; count < 50; count += 1) {
      const detected = check('2026-03-19T12:00:00', count % 2 === 0 ? WINDOW : wrong)(state);
      facts.push(...detected.facts);
      ({ state } = detected);
    }
    expect(new Set(idsOf(facts)).size).toBe(2 * (MAX_REPETITIONS + 1));
    const leftOut = [{ what: 'repeated changes', count: 50 - facts.length, kept: MAX_REPETITIONS }];
    expect(serve()(state).leftOut).toEqual(leftOut);
  });
});

describe('settings that are absent for a while', () => {
  const none = { ...SETTINGS, disagreement: {} };

  it('leave a replaced version its window', () => {
    const [, ...facts] = playAll(revise('2026-03-14T10:00:00', none), check('2026-03-19T00:00:00'));
    expect(facts).toEqual(['disagreement-due 03-12 until 03-26, 5 on 03-19, 5 left']);
  });

  it('leave it for a bounded number of days', () => {
    const keepUntil = (now: string) => revise(now, none)(serve()(undefined).state).state.windows?.length;
    expect(keepUntil('2027-04-16T23:59:59')).toBe(1);
    expect(keepUntil('2027-04-17T00:00:00')).toBeUndefined();
  });
});

it('a state of an earlier release has the window of its version', () => {
  const { windows, ...earlier } = serve()(undefined).state;
  expect(windows).toBeUndefined();
  expect(typesOf(check('2026-03-19T00:00:00')(earlier).facts)).toEqual(['statement.disagreement-due']);
  const reminded = { ...check('2026-03-19T00:00:00')(earlier).state };
  const unnamed = { ...reminded, windows: reminded.windows?.map(({ digest: _, ...window }) => window) };
  expect(check('2026-03-20T00:00:00')(unnamed).facts).toEqual([]);
});

it('the state is needed until the last window has ended', () => {
  const { state } = serve()(undefined);
  const isNeeded = (now: string, settings = WINDOW) => hasOpenWindow(state, RUN, at(now, settings));
  expect(isNeeded('2026-03-26T23:59:59')).toBe(true);
  expect(isNeeded('2026-03-27T00:00:00')).toBe(false);
  expect(isNeeded('2026-03-12T18:00:00', SETTINGS)).toBe(false);
});
