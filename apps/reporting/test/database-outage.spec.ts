import { waitFor } from '@ssb/testing';
import { Agent, request } from 'undici';
import { statementLoad } from './support/records.js';
import { createReportingDatabase, type ReportingDatabase } from './support/reporting-database.js';
import { runReporting, type RunningReporting } from './support/running-reporting.js';

const STATEMENT = '/api/v2/settlements/WEM/summary/2026-03-01/INITIAL';

/** A real PostgreSQL server that is stopped and started again. */
describe('reporting during an outage of its database', () => {
  let server: ReportingDatabase;
  let reporting: RunningReporting;
  let participant: Agent;

  beforeAll(async () => {
    server = await createReportingDatabase();
    reporting = await runReporting({ DATABASE_URL: server.url });
    participant = new Agent({ connect: { ca: reporting.authority.cert, ...reporting.wpgenco } });
    expect((await reporting.post('/operator/v1/statements', statementLoad(1))).status).toBe(201);
    await server.shutDown();
  });
  afterAll(async () => {
    // A failed test may have left the shared server down.
    await server.start();
    await participant.close();
    await reporting.close();
    await server.close();
  });

  async function send(url: string, scope: string, options: { dispatcher?: Agent; body?: string } = {}) {
    const { dispatcher, body } = options;
    const response = await request(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${await reporting.tokens.sign(scope)}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(dispatcher && { dispatcher }),
      ...(body !== undefined && { body }),
    });
    const { 'content-type': type, 'retry-after': retryAfter } = response.headers;
    return { status: response.statusCode, type, retryAfter, body: await response.body.text() };
  }
  const requestStatement = () =>
    send(`${reporting.participantsUrl}${STATEMENT}`, 'SETTLEMENT|WPGENCO|R', { dispatcher: participant });
  const requestOperator = (body?: string) =>
    send(`${reporting.operatorUrl}/operator/v1/statements`, 'MARKETRECORDS|OPERATOR|CR', {
      ...(body !== undefined && { body }),
    });

  it.each([
    ['a statement', requestStatement],
    ['a list of records', () => requestOperator()],
    ['a load', () => requestOperator(statementLoad(2))],
  ])(
    'answers the request of %s with 503 and Retry-After, without details of the server',
    async (_what, sendIt) => {
      const response = await sendIt();
      expect(response).toMatchObject({
        status: 503,
        type: 'application/problem+json; charset=utf-8',
        retryAfter: '2',
      });
      expect(JSON.parse(response.body)).toMatchObject({ status: 503, reason: 'records-cannot-be-reached' });
      expect(response.body).not.toMatch(/127\.0\.0\.1|ECONN|postgres/);
    },
  );

  it('is not ready', async () => {
    expect((await request(`${reporting.managementUrl}/health/ready`)).statusCode).toBe(503);
  });

  it('recovers when the database is back, with what was loaded', async () => {
    await server.start();
    let response = await requestStatement();
    await waitFor('the records', async () => (response = await requestStatement()).status !== 503);
    expect(response.status).toBe(200);
    expect(response.body).toContain('"runId":1');
    expect((await requestOperator(statementLoad(2))).status).toBe(201);
    expect((await requestStatement()).body).toContain('"runId":2');
  });
});
