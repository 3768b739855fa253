import { getHealthUrl } from './healthcheck.js';

const BROKER = { defaultPort: 4003, management: true };
const POLLER = { defaultPort: 4021, management: false };

describe('getHealthUrl', () => {
  it.each([
    [POLLER, { HOST: '0.0.0.0' }, 'http://127.0.0.1:4021/health/live'],
    [POLLER, { PORT: '80', HOST: '10.0.0.7' }, 'http://10.0.0.7:80/health/live'],
    [POLLER, { PORT: '', MANAGEMENT_PORT: '1' }, 'http://127.0.0.1:4021/health/live'],
    [BROKER, { HOST: '10.0.0.7' }, 'http://127.0.0.1:5003/health/live'],
    [BROKER, { PORT: '8000' }, 'http://127.0.0.1:9000/health/live'],
    [BROKER, { PORT: '8000', MANAGEMENT_PORT: '81' }, 'http://127.0.0.1:81/health/live'],
    [BROKER, { MANAGEMENT_HOST: '::' }, 'http://[::1]:5003/health/live'],
    [BROKER, { MANAGEMENT_TLS_CERT_FILE: '/tls/tls.crt' }, 'https://127.0.0.1:5003/health/live'],
  ])('of %o with %o', (port, environment, url) => {
    expect(getHealthUrl(port, environment)).toBe(url);
  });
});
