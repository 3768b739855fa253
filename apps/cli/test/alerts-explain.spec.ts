import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './support/run-command.js';

const shipped = new URL('../../../../config/bridge.yaml', import.meta.url).pathname;

let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'alerts-explain-'));
  file = join(folder, 'bridge.yaml');
  const text = readFileSync(shipped, 'utf8');
  const rules = [
    '{ name: deep, problems: [margin], amounts: { below: "-1000000.00" }, sinks: [treasury] }',
    '{ name: all, sinks: [log] }',
  ];
  writeFileSync(
    file,
    `${text.slice(0, text.indexOf('  rules:'))}  unattended: true\n  rules: [${rules.join(', ')}]\n`,
  );
});

afterAll(() => rmSync(folder, { recursive: true }));

/** No profile is found. */
const explain = (...args: string[]) =>
  runCommand(['alerts', 'explain', ...args, '--file', file], { XDG_CONFIG_HOME: folder });

describe('busbridge alerts explain', () => {
  it('prints the event, each rule with the matcher that does not match, and each sink', async () => {
    const { status, stdout } = await explain('margin.breached', '--amount', '-1000000');
    expect(status).toBe(0);
    expect(stdout).toBe(`type         settlementbus.margin.breached.v1
participant  WPGENCO
severity     critical
problem      margin
amount       -1000000

rule  matches  why not
────  ───────  ──────────────────────────────────────────────────
deep  no       amounts: below -1000000.00; the event has -1000000
all   yes

sink      receives  because
────────  ────────  ────────────────────────────
log       alert     rule all
treasury  nothing   amounts of deep do not match

The silences were not read. No bridge is named: set BUSBRIDGE_URL and BUSBRIDGE_TOKEN, write a profile, or run npm start in this clone. "busbridge --help" shows how.
`);
  });

  it('says that a notice is sent in a digest, and an alert is not', async () => {
    const grouping = join(folder, 'grouping.yaml');
    writeFileSync(grouping, readFileSync(file, 'utf8').replace('{ name: all,', '{ name: all, group: 1h,'));
    const run = (...args: string[]) =>
      runCommand(['alerts', 'explain', ...args, '--file', grouping], { XDG_CONFIG_HOME: folder });
    const { stdout } = await run('statement.published', '--amount', '1');
    expect(stdout).toContain('log       grouped   it is sent in a digest');
    expect(stdout).toContain('severity     info');
    expect((await run('statement.overdue')).stdout).toContain('log       alert ');
  });

  it('prints JSON', async () => {
    const { stdout } = await explain('margin.restored', '--amount', '-1000000.01', '--resolves', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      facts: { severity: 'critical', problem: 'margin' },
      kind: 'resolved',
      sinks: ['treasury', 'log'],
      others: [],
    });
  });

  it.each([
    [['margin.breach'], 'margin.breach is not an event type. The nearest type is margin.breached.'],
    [['bridge.heartbeat'], 'Heartbeats go to no sink, whatever the rules say. Give another type.'],
    [
      ['margin.breached'],
      'The rules compare the amount of settlementbus.margin.breached.v1, which is `tradingMargin`. Give it with --amount.',
    ],
    [['margin.breached', '--amount', '1,5'], '1,5 is not an amount. Give digits with a decimal point'],
    [
      ['position.stale', '--amount', '1'],
      'settlementbus.position.stale.v1 has no amount. Leave --amount out.',
    ],
    [
      ['position.stale', '--participant', '*'],
      '* is not a participant. Give --participant with one of WPGENCO.',
    ],
    [
      ['bridge.alert.raised', '--reason', 'clock'],
      'clock is not a reason. Give --reason with one of certificate-expired, ',
    ],
    [
      ['position.stale', '--resolves'],
      'settlementbus.position.stale.v1 resolves no problem. Leave --resolves out',
    ],
    [
      ['position.resumed', '--severity', 'critical'],
      'settlementbus.position.resumed.v1 is about no problem, so its severity is info. Add --resolves, or leave --severity out.',
    ],
  ])('refuses %j', async (args, sentence) => {
    const { status, stdout, stderr } = await explain(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(sentence);
  });
});
