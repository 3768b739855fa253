import { readSettings } from '@ssb/platform';
import { parseCommandLine } from './command-line.js';
import { definition } from './settings.js';

describe('the command line', () => {
  it('returns settings by the names of their variables', () => {
    const line =
      '--scenario history --participants A,B --seed x --speed max --from 2026-03-01 --until 2026-03-31 --exit --json';
    const commandLine = parseCommandLine(line.split(' '));
    expect(commandLine).toEqual({
      action: 'run',
      settings: {
        SCENARIO: 'history',
        PARTICIPANTS: 'A,B',
        SEED: 'x',
        SPEED: 'max',
        FROM: '2026-03-01',
        UNTIL: '2026-03-31',
        AT_END: 'exit',
        LOG_FORMAT: 'json',
      },
    });
    if (commandLine.action !== 'run') throw new Error('no run');
    const account = { TOKEN_CLIENT_ID: 'a', TOKEN_CLIENT_SECRET: 'b' };
    expect(readSettings(definition, { ...commandLine.settings, ...account })).toMatchObject({
      PARTICIPANTS: ['A', 'B'],
      SPEED: Infinity,
      FROM: '2026-03-01',
      STEP: false,
    });
  });

  it('returns no setting without its option', () => {
    expect(parseCommandLine([])).toEqual({ action: 'run', settings: {} });
    expect(parseCommandLine(['--step'])).toEqual({ action: 'run', settings: { STEP: 'true' } });
  });

  it.each([
    [['--list'], { action: 'list', json: false }],
    [['--list', '--json'], { action: 'list', json: true }],
  ])('%j lists the scenarios', (args, expected) => {
    expect(parseCommandLine(args)).toEqual(expected);
  });

  it.each([
    ['SPEED', '0'],
    ['SPEED', 'fast'],
    ['FROM', '2026-02-30'],
    ['PARTICIPANTS', 'A'.repeat(21)],
    ['PARTICIPANTS', 'A,B,A'],
  ])('refuses %s=%s', (name, value) => {
    const environment = { TOKEN_CLIENT_ID: 'a', TOKEN_CLIENT_SECRET: 'b', [name]: value };
    expect(() => readSettings(definition, environment)).toThrow(name);
  });
});
