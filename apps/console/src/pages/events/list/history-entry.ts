/** The entry of the browser's history that is shown, as the router names it. */
export const historyEntry = (): string | undefined =>
  (history.state as { readonly __TSR_key?: string } | null)?.__TSR_key;
