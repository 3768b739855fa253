import { waitFor } from '@ssb/testing';
import { statementLoad } from './support/records.js';
import { createReportingDatabase, type ReportingDatabase } from './support/reporting-database.js';
import { runReporting, type RunningReporting, sendRequest } from './support/running-reporting.js';

const STATEMENT = '/api/v2/settlements/WEM/summary/2026-03-01/INITIAL';

/** A real PostgreSQL server that is stopped and started again. */
describe('reporting during an outage of its database', () => {
  let server: ReportingDatabase;
  let reporting: RunningReporting;

  beforeAll(async () => {
    server = await createReportingDatabase();
    reporting = await runReporting({ DATABASE_URL: server.url });
    expect((await reporting.post('/operator/v1/statements', statementLoad(1))).status).toBe(201);
    await server.shutDown();
  });
  afterAll(async () => {
    // A failed test may have left the shared server down.
    await server.start();
    await reporting.close();
    await server.close();
  });

  const requestStatement = () => reporting.get(STATEMENT);

  it('responds 503 with Retry-After, without details of the server, and recovers with what was loaded', async () => {
    const authorization = `Bearer ${await reporting.tokens.sign('MARKETRECORDS|OPERATOR|R')}`;
    for (const response of [
      await requestStatement(),
      await sendRequest(`${reporting.operatorUrl}/operator/v1/statements`, { headers: { authorization } }),
      await reporting.post('/operator/v1/statements', statementLoad(2)),
    ]) {
      expect(response).toMatchObject({
        status: 503,
        type: 'application/problem+json; charset=utf-8',
        retryAfter: '2',
      });
      expect(JSON.parse(response.body)).toMatchObject({ status: 503, reason: 'records-cannot-be-reached' });
      expect(response.body).not.toMatch(/127\.0\.0\.1|ECONN|postgres/);
    }
    expect((await sendRequest(`${reporting.managementUrl}/health/ready`)).status).toBe(503);
    await server.start();
    await waitFor('the records', async () => (await requestStatement()).status !== 503);
    expect(await requestStatement()).toMatchObject({
      status: 200,
      body: expect.stringContaining('"runId":1'),
    });
    expect((await reporting.post('/operator/v1/statements', statementLoad(2))).status).toBe(201);
    expect((await requestStatement()).body).toContain('"runId":2');
  });
});
