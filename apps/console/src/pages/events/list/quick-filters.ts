interface QuickFilter {
  readonly label: string;
  readonly types: readonly string[];
}

/** What people look for most. */
export const QUICK_FILTERS: readonly QuickFilter[] = [
  { label: 'All', types: [] },
  { label: 'Margin', types: ['margin.*', 'credit-support.*'] },
  { label: 'Statements', types: ['statement.*'] },
  { label: 'Invoices and payments', types: ['invoice.*', 'payment.*'] },
  {
    label: 'Problems of the bridge',
    types: ['bridge.alert.*', 'market.*', 'position.stale', 'position.resumed'],
  },
];
