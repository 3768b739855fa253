import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkOperatorConfig, formatProblem, loadOperatorConfig, OperatorConfigError } from './load.js';

const shipped = new URL('../../../config/bridge.yaml', import.meta.url).pathname;
const environment = {
  PUBLISHER_GATEWAY_DID: `did:ethr:0x${'1'.repeat(40)}`,
  BRIDGE_ORIGIN_DID: `did:ethr:0x${'2'.repeat(40)}`,
  WEBHOOK_URL: 'http://127.0.0.1:9/events',
  WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`,
};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'operator-config-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function problemsOf(change: (text: string) => string, env: Record<string, string> = environment): string {
  const path = join(folder, 'bridge.yaml');
  writeFileSync(path, change(readFileSync(shipped, 'utf8')));
  try {
    loadOperatorConfig(path, env);
  } catch (error) {
    if (error instanceof OperatorConfigError) return error.message.replaceAll(`${folder}/`, '');
    throw error;
  }
  return '';
}

/** Number of the line of the shipped file that contains the text. */
function lineOf(text: string): number {
  const index = readFileSync(shipped, 'utf8').indexOf(text);
  expect(index).toBeGreaterThan(0);
  return readFileSync(shipped, 'utf8').slice(0, index).split('\n').length;
}

describe('the shipped file', () => {
  it('is valid without a warning, and its placeholders are replaced', () => {
    const warnings: string[] = [];
    const config = loadOperatorConfig(shipped, environment, (warning) => warnings.push(warning));
    expect(warnings).toEqual([]);
    expect(config.senders[0]?.gateways).toEqual([environment.PUBLISHER_GATEWAY_DID]);
    expect(config.alerts.sinks).toContainEqual({
      name: 'treasury',
      kind: 'webhook',
      url: environment.WEBHOOK_URL,
      secret: environment.WEBHOOK_SECRET,
    });
  });

  it('reports each variable that is not set, where it is used first', () => {
    expect(problemsOf((text) => text, {}).split('\n')).toEqual([
      `bridge.yaml:${lineOf('${PUBLISHER_GATEWAY_DID}')}: senders.0.gateways.0 needs the environment variable PUBLISHER_GATEWAY_DID, which is not set.`,
      `bridge.yaml:${lineOf('${BRIDGE_ORIGIN_DID}')}: senders.0.origins.0 needs the environment variable BRIDGE_ORIGIN_DID, which is not set.`,
      `bridge.yaml:${lineOf('${WEBHOOK_URL}')}: alerts.sinks.1.url needs the environment variable WEBHOOK_URL, which is not set.`,
      `bridge.yaml:${lineOf('${WEBHOOK_SECRET}')}: alerts.sinks.1.secret needs the environment variable WEBHOOK_SECRET, which is not set.`,
    ]);
  });

  it('can be checked without the variables: what uses them is unknown, the rest is checked', () => {
    const options = { environment: {}, allowUnset: true };
    expect(checkOperatorConfig(shipped, options)).toMatchObject({ errors: [], warnings: { length: 4 } });
    const path = join(folder, 'bridge.yaml');
    writeFileSync(path, readFileSync(shipped, 'utf8').replace("breach: '0.00'", "breach: '500000'"));
    expect(checkOperatorConfig(path, options).errors).toHaveLength(1);
  });

  it('an app that delivers no alerts needs no variable that only `alerts` uses', () => {
    const { PUBLISHER_GATEWAY_DID, BRIDGE_ORIGIN_DID } = environment;
    const options = {
      environment: { PUBLISHER_GATEWAY_DID, BRIDGE_ORIGIN_DID },
      allowUnset: 'in-alerts',
    } as const;
    expect(checkOperatorConfig(shipped, options)).toMatchObject({ errors: [], warnings: [] });
    const path = join(folder, 'bridge.yaml');
    writeFileSync(
      path,
      readFileSync(shipped, 'utf8').replace('holidays: []', "holidays: ['${WEBHOOK_URL}']"),
    );
    expect(checkOperatorConfig(path, options).errors).toMatchObject([
      { unset: 'WEBHOOK_URL', line: lineOf('holidays: []') },
    ]);
  });

  it('serves 300 participants with thresholds by alias', () => {
    const participants = Array.from(
      { length: 300 },
      (_, index) => `  - { margin: *margin, code: P${index} }`,
    );
    const thresholds = "{ warning: '5%', breach: '1%', hysteresis: '1%' }";
    const parts = `defaults: { margin: &margin ${thresholds} }\nparticipants:\n${participants.join('\n')}\n\n`;
    const path = join(folder, 'bridge.yaml');
    writeFileSync(
      path,
      readFileSync(shipped, 'utf8').replace(/^participants:[^]*?\n\ndefaults:[^]*?\n\n/m, parts),
    );
    expect(loadOperatorConfig(path, environment).participants).toHaveLength(300);
  });

  it('refuses a variable that holds a placeholder itself', () => {
    expect(problemsOf((text) => text, { ...environment, BRIDGE_ORIGIN_DID: '${OTHER}' })).toMatch(
      /senders\.0\.origins\.0 must be a DID/,
    );
  });
});

describe('an invalid file is refused with line and place of the problem', () => {
  it.each([
    [
      'an amount without quotes',
      "'250000.00'",
      '250000.00',
      'participants.0.margin.warning must be an amount in quotes, so that no digit is lost.',
    ],
    [
      'an invalid amount',
      "'0.00'",
      "'zero'",
      'participants.0.margin.breach must be an amount such as "250000.00", or a share of the trading limit from "-100%" to "100%", in quotes.',
    ],
    [
      'a share above 100%',
      "'250000.00'",
      "'100.5%'",
      'participants.0.margin.warning must be an amount such as "250000.00", or a share of the trading limit from "-100%" to "100%", in quotes.',
    ],
    [
      'a negative hysteresis',
      "'25000.00'",
      "'-1%'",
      'participants.0.margin.hysteresis must be an amount of 0 or more such as "25000.00", or a share of the trading limit from "0%" to "100%", in quotes.',
    ],
    [
      'a threshold that neither the participant nor defaults have',
      '    margin:',
      "    margin: { warning: '2.00' }\n    position:",
      'participants.0.margin lacks breach, hysteresis; set each there, in a profile or under defaults.margin.',
    ],
    [
      'two forms of a client certificate',
      '    margin:',
      '    access: { clientId: a, clientSecretFile: s, certFile: c, keyFile: k, pfxFile: p }\n    margin:',
      'participants.0.access has two forms of the client certificate; set certFile and keyFile, or pfxFile.',
    ],
    [
      'a certificate without its key',
      '    margin:',
      '    access: { clientId: a, clientSecretFile: s, token: { certFile: c } }\n    margin:',
      'participants.0.access.token must have both certFile and keyFile, or neither.',
    ],
    [
      'access without an account',
      '    margin:',
      '    access: { clientSecretFile: s }\n    margin:',
      'participants.0.access must have either clientId or clientIdFile.',
    ],
    [
      'a time without an offset',
      "# alertsSince: '2026-07-01T00:00:00+08:00'",
      "alertsSince: '2026-07-01'",
      'participants.0.alertsSince must be a time such as "2026-07-01T00:00:00+08:00" in quotes.',
    ],
    [
      'an invalid channel',
      'channel: settlement.channels.bridge',
      'channel: settlement.bridge',
      'routes.0.channel must be a channel name such as prices.channels.app.apps.organisation.iam.root.',
    ],
    [
      'an undefined sink',
      'sinks: [log, treasury]',
      'sinks: [log, pager]',
      'alerts.rules.0.sinks names an unknown sink pager; the sinks are log, treasury.',
    ],
    [
      'an undefined sink of the audit',
      '  rules:',
      '  audit: [log, pager]\n  rules:',
      'alerts.audit names an unknown sink pager; the sinks are log, treasury.',
    ],
    [
      'silences without a near end',
      '  rules:',
      '  maxSilence: 91d\n  rules:',
      'alerts.maxSilence must be a duration from 1m to 90d, such as 10m, 26h or 2d.',
    ],
    [
      'an unknown key with a near one',
      'hysteresis:',
      'hysteresys:',
      'participants.0.margin.hysteresys is an unknown key; the nearest known key is hysteresis.',
    ],
    [
      'an unknown key',
      'participants:',
      'colour: red\nparticipants:',
      'colour is an unknown key; the known keys are defaults, profiles, participants, businessDays, holidays, routes, ignore, senders, revoked, alerts.',
    ],
    [
      'an unknown kind',
      'kind: log',
      'kind: pager',
      'alerts.sinks.0.kind must be log, webhook, email, slack, teams, pagerduty or alertmanager.',
    ],
    [
      'a small limit',
      '  - types:\n      - settlementbus.position.*',
      '  - maxMessageBytes: 10\n    types:\n      - settlementbus.position.*',
      'routes.1.maxMessageBytes must be at least 4096.',
    ],
    [
      'a type that does not exist',
      'settlementbus.margin.*',
      'settlementbus.margin.breach.v1',
      'routes.1.types.1 is settlementbus.margin.breach.v1, which matches no event type; the nearest type is settlementbus.margin.breached.v1.',
    ],
  ])('%s', (_, from, to, expected) => {
    expect(problemsOf((text) => text.replace(from, to))).toContain(
      `bridge.yaml:${lineOf(from)}: ${expected}`,
    );
  });

  it.each([
    ['the file', 'participants:', '', 'ignore'],
    ['participants.0.margin', '      hysteresis:', '      ', 'breach'],
    ['senders.0', "    gateways: ['$", '    ', 'origins'],
    ['alerts.sinks.0', '      kind: log', '      ', 'name'],
    ['alerts.rules.0', '      severities: [', '      ', 'sinks'],
  ])('two unknown keys in %s', (place, before, indent, key) => {
    const added = `${indent}${key}x: 1\n${indent}colour: 1\n`;
    const problems = problemsOf((text) => text.replace(before, `${added}${before}`)).split('\n');
    const prefix = place === 'the file' ? '' : `${place}.`;
    expect(problems).toEqual([
      `bridge.yaml:${lineOf(before)}: ${prefix}${key}x is an unknown key; the nearest known key is ${key}.`,
      expect.stringMatching(
        `^bridge\\.yaml:${lineOf(before) + 1}: ${prefix}colour is an unknown key; the known keys are .*\\b${key}\\b`,
      ),
    ]);
  });

  it.each([
    ['a list', 'loop: &x [*x]'],
    ['a group of keys', 'loop: &x { a: [{ b: *x }] }'],
  ])('%s that contains itself through an alias', (_, loop) => {
    expect(problemsOf((text) => text.replace('participants:', `${loop}\nparticipants:`))).toBe(
      `bridge.yaml:${lineOf('participants:')}: the file is not valid YAML: an alias stands for a value that contains the alias; write the value out.`,
    );
  });

  it('a missing part', () => {
    const problems = problemsOf((text) => text.replace(/^participants:[^]*?\n\n/m, ''));
    expect(problems).toMatch(/^bridge\.yaml:\d+: participants is missing; it must be a list\.$/);
  });

  it('two sinks with one name', () => {
    expect(problemsOf((text) => text.replace('name: treasury', 'name: log'))).toMatch(
      /alerts\.sinks must have different names/,
    );
  });

  it('invalid YAML, without its text', () => {
    const problems = problemsOf((text) => text.replace('participants:', 'participants: [ # hunter2'));
    expect(problems).toMatch(/^bridge\.yaml:4: the file is not valid YAML: /);
    expect(problems).not.toContain('hunter2');
  });

  it('a file that is not UTF-8', () => {
    const path = join(folder, 'latin1.yaml');
    writeFileSync(path, Buffer.from('# first line\n# Z\u00fcrich\n', 'latin1'));
    const [problem] = checkOperatorConfig(path, { environment }).errors;
    expect(problem && formatProblem('bridge.yaml', problem)).toBe(
      'bridge.yaml:2: the file is not UTF-8; save it as UTF-8.',
    );
  });

  it.each([
    ['that is not a DID', 'gateway'],
    // EIP-55's first example, with its last letter in the other case.
    ['whose checksum is wrong', 'did:ethr:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'],
    ['with a method that is too long', `did:${'m'.repeat(33)}:0x${'2'.repeat(40)}`],
  ])('a sender %s', (_, sender) => {
    expect(problemsOf((text) => text, { ...environment, BRIDGE_ORIGIN_DID: sender })).toMatch(
      /senders\.0\.origins\.0 must be a DID/,
    );
  });

  it('drops the line end of the file that a variable was read from', () => {
    const given = { ...environment, WEBHOOK_SECRET: `${environment.WEBHOOK_SECRET}\n` };
    expect(problemsOf((text) => text, given)).toBe('');
  });

  it.each([
    ['WEBHOOK_URL', 'https://host/#part', /without fragment/],
    ['WEBHOOK_URL', 'https://user:50%off@host', /without fragment/],
    ['WEBHOOK_SECRET', `whsec_${'A'.repeat(33)}`, /padded with =/],
  ])('%s as %s', (name, value, problem) => {
    expect(problemsOf((text) => text, { ...environment, [name]: value })).toMatch(problem);
  });

  it('accepts a sender with a valid checksum', () => {
    const sender = 'did:ethr:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    expect(problemsOf((text) => text, { ...environment, BRIDGE_ORIGIN_DID: sender })).toBe('');
  });

  it('accepts several senders in one variable, separated by commas', () => {
    const [old, next] = ['2', '3'].map((digit) => `did:ethr:0x${digit.repeat(40)}`);
    const config = loadOperatorConfig(shipped, { ...environment, BRIDGE_ORIGIN_DID: `${old}, ${next}` });
    expect(config.senders.map(({ origins }) => origins)).toEqual(Array(3).fill([old, next]));
  });

  it.each([
    ['a part that is not a DID', 'bridge', 2],
    ['an empty part', '', 2],
    ['a comma at the end', `did:ethr:0x${'3'.repeat(40)},`, 3],
  ])('several senders with %s', (_, second, wrong) => {
    const value = `${environment.BRIDGE_ORIGIN_DID},${second}`;
    expect(problemsOf((text) => text, { ...environment, BRIDGE_ORIGIN_DID: value }).split('\n')[0]).toMatch(
      `bridge.yaml:${lineOf('${BRIDGE_ORIGIN_DID}')}: senders.0.origins.0 has ${wrong} parts separated by commas, of which number ${wrong} is not a DID; each must be a DID such as`,
    );
  });

  it('a participant of senders that is not the code of one', () => {
    const before = "    origins: ['${BRIDGE_ORIGIN_DID}']";
    expect(problemsOf((text) => text.replace(before, `    participants: [WPGENCO, '*']\n${before}`))).toBe(
      `bridge.yaml:${lineOf(before)}: senders.0.participants.1 must be the code of one participant; * is not allowed.`,
    );
  });

  it('a file that does not exist', () => {
    expect(() => loadOperatorConfig(join(folder, 'none.yaml'), {})).toThrow(
      /none\.yaml cannot be read: the file does not exist/,
    );
  });
});
