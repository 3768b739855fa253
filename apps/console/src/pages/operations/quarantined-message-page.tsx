import { Page } from '../../ui/page.js';

export function QuarantinedMessagePage() {
  return <Page title="Quarantined message">…</Page>;
}
