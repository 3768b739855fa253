import type { HopStatus } from '../../api/operations.js';
import { countOf } from '../../format/count.js';
import { Badge } from '../../ui/badge.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { Section } from '../../ui/page.js';
import { Absent } from '../../ui/values.js';
import { certificateTone, listCertificates, type OwnedCertificate } from './group-hops.js';

const COLUMNS: readonly Column<OwnedCertificate>[] = [
  {
    id: 'daysLeft',
    header: 'Expires',
    cell: ({ daysLeft }) => (
      <Badge tone={certificateTone(daysLeft)}>
        {daysLeft < 0 ? 'expired' : `${countOf(daysLeft, 'day')} left`}
      </Badge>
    ),
  },
  { id: 'name', header: 'Certificate', cell: ({ name }) => name },
  { id: 'participant', header: 'Participant', cell: ({ participant }) => participant ?? <Absent /> },
  { id: 'process', header: 'App', cell: ({ process }) => process },
];

/** How long the certificates of the apps are valid. */
export function CertificateSection({ hops }: { readonly hops: readonly HopStatus[] }) {
  return (
    <Section title="Certificates">
      <DataTable
        caption="Certificates, the one that expires first at the top"
        columns={COLUMNS}
        rows={listCertificates(hops)}
        rowKey={({ process, name, participant }) => [process, name, participant].join(' ')}
        empty="No app has a certificate."
      />
    </Section>
  );
}
