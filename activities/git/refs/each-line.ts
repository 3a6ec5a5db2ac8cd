/** The lines of a text one after the other, as `split('\n')` has them: an agent decides how many there are, and a list of millions takes many times the room of their text. */
export function* eachLine(text: string): Generator<string> {
  let from = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
    yield text.slice(from, end);
    from = end + 1;
  }
  yield text.slice(from);
}
