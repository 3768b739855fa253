import { Page } from '../../ui/page.js';

export function ProblemsPage() {
  return <Page title="Problems">…</Page>;
}
