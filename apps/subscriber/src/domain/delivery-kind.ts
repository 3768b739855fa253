/** An alert wakes a person; a notice informs. */
export type DeliveryKind = 'alert' | 'notice';

/** @param alert `alert` of a rule in CONFIG_FILE */
export const toDeliveryKind = (alert: boolean): DeliveryKind => (alert ? 'alert' : 'notice');
