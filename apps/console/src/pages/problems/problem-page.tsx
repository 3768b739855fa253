import { Page } from '../../ui/page.js';

export function ProblemPage() {
  return <Page title="Problem">…</Page>;
}
