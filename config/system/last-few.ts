/** What was found out of the last few things that were asked for, by a name of each; the oldest goes. For what is dear to find, and is either always true or looked at before it is believed. */
export class LastFew<Value> {
  private readonly found = new Map<string, Value>();

  constructor(private readonly most: number) {}

  get(name: string): Value | undefined {
    return this.found.get(name);
  }

  /** Answers what it is given. */
  keep(name: string, value: Value): Value {
    this.found.delete(name);
    this.found.set(name, value);
    const [oldest] = this.found.keys();
    if (this.found.size > this.most && oldest !== undefined) this.found.delete(oldest);
    return value;
  }
}
