import { Page } from '../../ui/page.js';

export function AuditPage() {
  return <Page title="Audit log">…</Page>;
}
