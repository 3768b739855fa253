/** A key of Standard Webhooks: `whsec_` and at least 24 bytes in base64 with its padding. */
export const WEBHOOK_SECRET = /^whsec_(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
export const WEBHOOK_SECRET_FORM = 'whsec_ followed by at least 24 bytes in base64, padded with =';
