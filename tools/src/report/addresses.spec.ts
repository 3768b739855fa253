import { STANDARD_PORTS } from '../system/processes.js';
import { hideCredentials, renderAddresses } from './addresses.js';

it('shows where each service listens, with the standard ports of the architecture', () => {
  const table = renderAddresses(STANDARD_PORTS, {
    redisUrl: 'redis://127.0.0.1:6379',
    databaseUrl: 'postgres://127.0.0.1:5432/bridge',
    webhookUrl: 'http://127.0.0.1:9000/events',
  });
  expect(table).toMatch(/^token +https:\/\/127\.0\.0\.1:4001 /m);
  expect(table).toMatch(/^reporting +https:\/\/127\.0\.0\.1:4002 /m);
  expect(table).toMatch(/^broker +http:\/\/127\.0\.0\.1:4003 /m);
  expect(table).toMatch(/^subscriber's gateway +http:\/\/127\.0\.0\.1:4012 /m);
  expect(table).toMatch(/^broker, management +http:\/\/127\.0\.0\.1:5003 +\/health, \/metrics$/m);
  expect(table).toMatch(/^webhook receiver +http:\/\/127\.0\.0\.1:9000\/events$/m);
  expect(table).toMatch(/^Redis +redis:\/\/127\.0\.0\.1:6379$/m);
  expect(table).toMatch(/^PostgreSQL +postgres:\/\/127\.0\.0\.1:5432\/bridge /m);
});

it('shows no password and no query of a webhook', () => {
  const table = renderAddresses(STANDARD_PORTS, {
    redisUrl: 'redis://ops:hunter2@redis.example:6379',
    databaseUrl: 'postgres://ops:hunter2@database.example/bridge?password=hunter2',
    webhookUrl: 'https://user:hunter2@alerts.example/hook?key=hunter2',
  });
  expect(table).not.toContain('hunter2');
  expect(table).toContain('redis://…@redis.example:6379');
  expect(table).toContain('https://…@alerts.example/hook?…');
});

it.each([
  ['redis://127.0.0.1:6379/2', 'redis://127.0.0.1:6379/2'],
  ['rediss://ops:p@ss@redis.example', 'rediss://…@redis.example'],
])('shows %s as %s', (url, shown) => {
  expect(hideCredentials(url)).toBe(shown);
});
