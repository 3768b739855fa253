/** A number with its noun, such as `1 run` and `2 runs`. */
export function countOf(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en-AU')} ${number === 1 ? one : many}`;
}
