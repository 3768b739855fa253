import type { Metrics } from './metrics.js';

/** A certificate that the app uses. */
export interface CertificateReport {
  /** The service that it is for, or `server` and `management` for those of the app's own ports. */
  readonly name: string;
  readonly participant?: string;
  /** Negative once it has expired. */
  readonly daysLeft: number;
}

const CLIENT = 'certificate_days_left';
const SERVER = 'server_certificate_days_left';

/** The certificates whose remaining time the metrics show. */
export async function listCertificates({ registry }: Metrics): Promise<readonly CertificateReport[]> {
  const gauges = registry.getMetricsAsArray().filter(({ name }) => name.endsWith(CLIENT));
  const found = await Promise.all(gauges.map(async ({ name }) => registry.getSingleMetric(name)?.get()));
  return found.flatMap((metric) =>
    (metric?.values ?? []).flatMap(({ labels, value }): CertificateReport[] => {
      if (!Number.isFinite(value)) return [];
      const { interface: client, participant } = labels as Readonly<Record<string, string | undefined>>;
      const name = metric?.name.endsWith(SERVER) === true ? serverName(metric.name) : (client ?? '');
      return [{ name, ...(participant !== undefined && { participant }), daysLeft: value }];
    }),
  );
}

function serverName(metric: string): string {
  return metric.endsWith(`_management_${SERVER}`) ? 'management' : 'server';
}
