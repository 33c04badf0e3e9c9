// Brings the blocks under listings to life. Nothing is fetched before a reader touches one.

import { Panel } from "./panel.js";

for (const block of document.querySelectorAll(".wb-live")) {
    new Panel(block, new URL(block.dataset.kernel, new URL(path_to_root, document.baseURI)));
}
