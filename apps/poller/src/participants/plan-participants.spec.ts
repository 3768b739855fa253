import { readSettings } from '@ssb/platform';
import type { OperatorConfig } from '@ssb/config';
import { definition } from '../settings.js';
import { planParticipants } from './plan-participants.js';

const margin = { warning: '2.00', breach: '0.00', hysteresis: '1.00' };
const configOf = (...participants: object[]): OperatorConfig =>
  ({
    participants: participants.map((each) => ({ margin, ...each })),
    routes: [],
    ignore: [],
    senders: [],
    alerts: { sinks: [], rules: [] },
  }) as unknown as OperatorConfig;

const plan = (config: OperatorConfig, environment: Record<string, string> = {}) =>
  planParticipants(
    readSettings(definition, {
      CONFIG_FILE: '/etc/bridge/bridge.yaml',
      INTEGRITY_KEYS_FILE: '/keys',
      TOKEN_CA_FILE: '/ca/token.pem',
      REPORTING_CA_FILE: '/ca/reporting.pem',
      ...environment,
    }),
    config,
  );

const account = { TOKEN_CLIENT_ID: 'id', TOKEN_CLIENT_SECRET: 'secret' };
const access = { clientId: 'own', clientSecretFile: 'own.secret' };

it('all participants of the file are polled, one of them with the access of the settings', () => {
  const planned = plan(configOf({ code: 'A', access }, { code: 'B' }), {
    ...account,
    CLIENT_CERT_FILE: '/tls/b.crt',
    CLIENT_KEY_FILE: '/tls/b.key',
  });
  expect(planned.map(({ code, isOfSettings }) => [code, isOfSettings])).toEqual([
    ['A', false],
    ['B', true],
  ]);
  expect(planned[1]?.access).toMatchObject({
    credentials: { kind: 'texts', credentials: { clientId: 'id', clientSecret: 'secret' } },
    tls: { settlement: { cert: '/tls/b.crt', key: '/tls/b.key', ca: '/ca/reporting.pem' } },
  });
});

it('PARTICIPANT limits them to one', () => {
  expect(plan(configOf({ code: 'A' }, { code: 'B' }), { ...account, PARTICIPANT: 'B' })).toMatchObject([
    { code: 'B' },
  ]);
});

it('relative paths start at the folder of the file, and the settlement interface may have its own certificate', () => {
  const own = {
    clientIdFile: '/secrets/id',
    clientSecretFile: 'a/secret',
    certFile: 'a/tls.crt',
    keyFile: 'a/tls.key',
    settlement: { pfxFile: 'a/settlement.p12', pfxPasswordFile: 'a/password' },
  };
  const [planned] = plan(configOf({ code: 'A', access: own }));
  expect(planned?.access).toEqual({
    credentials: { kind: 'files', clientId: undefined, files: ['/secrets/id', '/etc/bridge/a/secret'] },
    tls: {
      token: { ca: '/ca/token.pem' },
      prudential: {
        cert: '/etc/bridge/a/tls.crt',
        key: '/etc/bridge/a/tls.key',
        ca: '/ca/reporting.pem',
      },
      settlement: {
        pfx: '/etc/bridge/a/settlement.p12',
        pfxPassword: '/etc/bridge/a/password',
        ca: '/ca/reporting.pem',
      },
    },
  });
});

describe('the start is refused', () => {
  it.each([
    [
      'when two participants need the access of the settings',
      configOf({ code: 'A' }, { code: 'B' }, { code: 'C', access }),
      account,
      '2 participants of /etc/bridge/bridge.yaml have no access (A, B), and the settings of the poller hold the access of one: add access to the others, or set PARTICIPANT.',
    ],
    [
      'when a participant has no access at all',
      configOf({ code: 'A' }),
      {},
      'The participant A has no access in /etc/bridge/bridge.yaml: add it there, or set TOKEN_CLIENT_ID and TOKEN_CLIENT_SECRET.',
    ],
    [
      'when the file does not name PARTICIPANT',
      configOf({ code: 'A', access }),
      { PARTICIPANT: 'X' },
      '/etc/bridge/bridge.yaml does not name participant X; add it under participants.',
    ],
  ])('%s', (_, config, environment, message) => {
    expect(() => plan(config, environment)).toThrow(message);
  });
});
