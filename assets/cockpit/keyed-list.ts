/** An element of a list, and how it takes a newer item. */
export interface ListItem<Item> {
  readonly element: HTMLElement;
  readonly update: (item: Item) => void;
}

/** The children of an element, one for each item of a list. An item keeps its element. */
export class KeyedList<Item> {
  readonly #host: HTMLElement;
  readonly #keyOf: (item: Item) => string;
  readonly #create: (item: Item) => ListItem<Item>;
  readonly #shown = new Map<string, ListItem<Item>>();

  constructor(
    host: HTMLElement,
    keyOf: (item: Item) => string,
    create: (item: Item) => ListItem<Item>,
  ) {
    this.#host = host;
    this.#keyOf = keyOf;
    this.#create = create;
  }

  /** Items with equal keys after the first are left out. */
  update(items: readonly Item[]): void {
    const keys = new Set(items.map(this.#keyOf));
    for (const [key, { element }] of this.#shown) {
      if (keys.has(key)) continue;
      element.remove();
      this.#shown.delete(key);
    }
    let next = this.#host.firstElementChild;
    for (const item of items) {
      const key = this.#keyOf(item);
      if (!keys.delete(key)) continue;
      let shown = this.#shown.get(key);
      if (shown === undefined) {
        shown = this.#create(item);
        this.#shown.set(key, shown);
      }
      if (shown.element === next) next = next.nextElementSibling;
      else this.#host.insertBefore(shown.element, next);
      shown.update(item);
    }
  }
}
