import { Page } from '../../ui/page.js';

export function OperationsPage() {
  return <Page title="Operations">…</Page>;
}
