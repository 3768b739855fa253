/**
 * Value of the `Authorization` header (RFC 7617, UTF-8).
 * @param password a function returns the present one
 */
export function basicAuthorization(username: string, password: string | (() => string)): string {
  const current = typeof password === 'function' ? password() : password;
  return `Basic ${Buffer.from(`${username}:${current}`, 'utf8').toString('base64')}`;
}
