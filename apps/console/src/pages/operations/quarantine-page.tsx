import { Page } from '../../ui/page.js';

export function QuarantinePage() {
  return <Page title="Quarantine">…</Page>;
}
