import { STANDARD_PORTS } from '../system/processes.js';
import { hideCredentials, renderAddresses } from './addresses.js';

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

it('shows the rest of an address', () => {
  expect(hideCredentials('redis://127.0.0.1:6379/2')).toBe('redis://127.0.0.1:6379/2');
  expect(hideCredentials('rediss://ops:p@ss@redis.example')).toBe('rediss://…@redis.example');
});
