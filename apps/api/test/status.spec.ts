import { waitFor } from '@ssb/testing';
import { archiveEvent, uuidOf } from '@ssb/testing/archived-events';
import type { Status } from '../src/status/status-dto.js';
import { RunningApi } from './support/running-api.js';
import { storeProblem } from './support/stored-problems.js';

let api: RunningApi;

beforeAll(async () => {
  api = await RunningApi.start();
});
afterAll(() => api.close());

const MARGIN =
  'The margin of ALPHA is BREACHED, and its problem was closed by olivia: see "busbridge positions".';
const SINK = 'Sink desk is disabled (ERP down, by olivia): busbridge sinks enable desk.';

/** Waits, because a status serves all callers for a second. */
const findings = (isExpected: (texts: readonly string[]) => boolean): Promise<Status> =>
  waitFor('the findings', async () => {
    const status = (await api.get('/v1/status')).json<Status>();
    return isExpected(status.findings) ? status : undefined;
  });

it('has a margin below a threshold whose problem a person has closed, until another problem is open or the margin changes', async () => {
  const { admin } = api.tables;
  await admin.query(`INSERT INTO participant (code) VALUES ('ALPHA')`);
  // Its key is ALPHA/prudential.
  const id = await storeProblem(admin, 'prudential', { participant: 'ALPHA' });
  const close = () =>
    admin.query(
      `UPDATE problem SET state = 'closed', ended_at = now(), closed_by = 'olivia' WHERE problem_id = $1`,
      [id],
    );
  await findings((texts) => !texts.includes(MARGIN));
  await close();
  const { archive } = await findings((texts) => texts.includes(MARGIN));
  expect(archive?.closedMargins).toEqual([{ participant: 'ALPHA', level: 'BREACHED', closedBy: 'olivia' }]);
  await admin.query(`UPDATE problem SET state = 'open', ended_at = NULL WHERE problem_id = $1`, [id]);
  await findings((texts) => !texts.includes(MARGIN));
  await close();
  await findings((texts) => texts.includes(MARGIN));
  // A breach of the backlog opens no problem.
  for (const [type, hour] of [
    ['margin.restored', '10'],
    ['margin.breached', '11'],
  ] as const)
    await archiveEvent(admin, type, {
      event: {
        id: uuidOf(type),
        participant: 'ALPHA',
        time: `2099-01-01T${hour}:00:00+08:00`,
      },
    });
  await findings((texts) => !texts.includes(MARGIN));
});

it('has one finding of a disabled sink, and not of its problem', async () => {
  const { admin } = api.tables;
  await admin.query(
    `INSERT INTO sink_state (sink, disabled_at, disabled_by, disabled_reason) VALUES ('desk', now(), 'olivia', 'ERP down')`,
  );
  for (const name of ['bridge/subscriber/sink-disabled/desk', 'bridge/subscriber/sink-disabled/former'])
    await storeProblem(admin, name, { participant: '*', kind: 'bridge-fault', severity: 'warning' });
  const { archive, findings: texts } = await findings((found) => found.includes(SINK));
  expect(archive?.openProblems).toMatchObject({ warning: 2, disabledSinkWarnings: 1 });
  expect(texts).toContain('1 problem of severity warning: read /v1/problems.');
});
