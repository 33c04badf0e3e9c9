// What a page has besides its scripts.

/** mdBook's: the way from a page to the book's top. */
declare const path_to_root: string;
