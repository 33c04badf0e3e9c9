// Elements without ceremony. Text is always text: nothing of a kernel or a report is read as HTML.

/** An element with attributes (functions are listeners, `false` leaves out) and children. */
export function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") element.addEventListener(name, value);
        else if (value === true) element.setAttribute(name, "");
        else if (value !== false && value != null) element.setAttribute(name, value);
    }
    element.append(...children.flat().filter((child) => child != null && child !== false));
    return element;
}

/**
 * The elements that a selector finds.
 * @param {string} selector
 * @param {ParentNode} within
 * @returns {any[]} as exact as the selector is
 */
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];

/** A number with its thousands apart. */
export const grouped = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, " ");
