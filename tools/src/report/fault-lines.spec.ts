import { createFaultPrinter } from './fault-lines.js';

const fault = {
  msg: 'fault reported',
  reason: 'token-refused',
  participant: 'WPGENCO',
  detail: 'The token service responded with 401.',
};

function printed() {
  const lines: string[] = [];
  const alerts: string[] = [];
  const printer = {
    writeLine: (line: string) => void lines.push(line),
    writeAlert: (line: string) => void (lines.push(line), alerts.push(line)),
  };
  return { lines, alerts, handleLog: createFaultPrinter(printer) };
}

it('prints a fault with its reason and what to do, and its end', () => {
  const { lines, handleLog } = printed();
  handleLog('poller', fault);
  handleLog('poller', { ...fault, msg: 'fault ended' });
  handleLog('poller', { ...fault, msg: 'poll finished' });
  expect(lines).toEqual([
    '!! poller          token-refused                WPGENCO     The token service responded with 401.  →  Check TOKEN_URL, account and secret of the participant (access in CONFIG_FILE, or TOKEN_CLIENT_ID and TOKEN_CLIENT_SECRET), and the scopes of the account.',
    '   poller          token-refused                WPGENCO     ended',
  ]);
});

it('names the channel unless the detail does', () => {
  const { lines, handleLog } = printed();
  handleLog('subscriber', { ...fault, reason: 'heartbeat-missing', channel: 'a.channel', detail: 'None.' });
  handleLog('subscriber', {
    ...fault,
    reason: 'heartbeat-missing',
    channel: 'a.channel',
    detail: 'a.channel: none.',
  });
  expect(lines.map((line) => line.includes('a.channel  None.'))).toEqual([true, false]);
});

it('prints a fault of every participant, and a reason of a later version', () => {
  const { lines, alerts, handleLog } = printed();
  handleLog('bus-publisher', { ...fault, reason: 'another-reason', participant: '*' });
  expect(lines[0]).toMatch(/bus-publisher +another-reason +all +The token service responded with 401\./);
  expect(alerts).toEqual(lines);
});
