import { checkOperatorConfig } from '@ssb/config';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { REPOSITORY_ROOT } from './processes.js';
import { mergeIntoDefaults, prepareConfigFile } from './scenario-config.js';

const CONFIG_FILE = join(REPOSITORY_ROOT, 'config/bridge.yaml');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scenario-config-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('settings merged into defaults', () => {
  it.each([
    ['no defaults', '{}', { position: { staleAfter: '4s' } }, { position: { staleAfter: '4s' } }],
    [
      'another key of the same mapping',
      'defaults: { position: { days: [mon-fri], staleAfter: 1h } }',
      { position: { staleAfter: '4s' } },
      { position: { days: ['mon-fri'], staleAfter: '4s' } },
    ],
    [
      'mappings at every depth',
      'defaults: { forecast: { horizonDays: 7, trend: { method: linear, calculations: 5 } } }',
      { forecast: { trend: { calculations: 10 } } },
      { forecast: { horizonDays: 7, trend: { method: 'linear', calculations: 10 } } },
    ],
  ])('%s', (_, text, settings, expected) => {
    expect(parse(mergeIntoDefaults(text, settings))).toEqual({ defaults: expected });
  });

  it('with business days and holidays on the first level', () => {
    const settings = { businessDays: ['mon-sun'], holidays: [], disagreement: { remind: [1] } };
    expect(parse(mergeIntoDefaults("holidays: ['2026-12-25']", settings))).toEqual({
      businessDays: ['mon-sun'],
      holidays: [],
      defaults: { disagreement: { remind: [1] } },
    });
  });

  it('keeps everything else of the file, with amounts as texts and placeholders', () => {
    const original = parse(readFileSync(CONFIG_FILE, 'utf8')) as { defaults: object };
    const merged = mergeIntoDefaults(readFileSync(CONFIG_FILE, 'utf8'), {
      market: { unreachableAfter: '3s' },
    });
    const defaults = { ...original.defaults, market: { unreachableAfter: '3s' } };
    expect(parse(merged)).toEqual({ ...original, defaults });
  });
});

it('writes a valid copy for a scenario with settings', async () => {
  const file = await prepareConfigFile('stale-position', CONFIG_FILE, folder);
  expect(file).toBe(join(folder, 'bridge.yaml'));
  expect(checkOperatorConfig(file, { environment: {}, allowUnset: true }).errors).toEqual([]);
  expect(parse(readFileSync(file, 'utf8'))).toMatchObject({
    defaults: { position: { staleAfter: '4s', days: ['mon-sun'] } },
  });
});

it('adds further participants with their access and the settings of the first one', async () => {
  const certificate = { certificate: '/tls/two.pem', key: '/tls/two.key' };
  const client = { id: 'wpgenco2', secret: 'unused', secretFile: '/secrets/two' };
  const further = [{ code: 'WPGENCO2', client, certificate }];
  const file = await prepareConfigFile('many-participants', CONFIG_FILE, folder, further);
  expect(checkOperatorConfig(file, { environment: {}, allowUnset: true }).errors).toEqual([]);
  const { participants } = parse(readFileSync(file, 'utf8')) as { participants: object[] };
  const [first, second] = participants;
  expect(second).toEqual({
    ...first,
    code: 'WPGENCO2',
    access: {
      clientId: 'wpgenco2',
      clientSecretFile: '/secrets/two',
      certFile: '/tls/two.pem',
      keyFile: '/tls/two.key',
    },
  });
});

it('uses the file itself for a scenario without an end, so that an edit applies', async () => {
  expect(await prepareConfigFile('everyday', CONFIG_FILE, folder)).toBe(CONFIG_FILE);
});

it('alerts facts of the past of a scenario with an end', async () => {
  const original = parse(readFileSync(CONFIG_FILE, 'utf8')) as { participants: object[] };
  const copy = await prepareConfigFile('demo', CONFIG_FILE, folder);
  expect(parse(readFileSync(copy, 'utf8'))).toEqual({
    ...original,
    participants: [{ ...original.participants[0], alertsSince: '2020-01-01T00:00:00+08:00' }],
  });
});
