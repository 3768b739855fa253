import { Page } from '../../ui/page.js';

export function StatementPage() {
  return <Page title="Statement">…</Page>;
}
