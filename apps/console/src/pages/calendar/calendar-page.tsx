import { Page } from '../../ui/page.js';

export function CalendarPage() {
  return <Page title="Settlement calendar">…</Page>;
}
