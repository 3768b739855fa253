import { listCertificates } from './certificates.js';
import { clientTlsMetrics, serverTlsMetrics } from './common-metrics.js';
import { Metrics } from './metrics.js';

it('lists the certificates of the metrics, except those that an app does not have', async () => {
  const metrics = new Metrics();
  const { daysLeft } = clientTlsMetrics('poller', { hasParticipants: true });
  metrics.gauge(daysLeft).set({ interface: 'prudential', participant: 'WPGENCO' }, -0.5);
  metrics.gauge(serverTlsMetrics('management').daysLeft, (gauge) => gauge.set(30));
  metrics.gauge(serverTlsMetrics('api').daysLeft, (gauge) => gauge.set(Number.NaN));
  expect(await listCertificates(metrics)).toEqual([
    { name: 'prudential', participant: 'WPGENCO', daysLeft: -0.5 },
    { name: 'management', daysLeft: 30 },
  ]);
});
