"""SPDX 2.3 documents of what artefacts contain and need."""

import hashlib
import json
import re
from datetime import datetime, timezone

RELATIONS = {"static": "STATIC_LINK", "dynamic": "DYNAMIC_LINK", "data": "CONTAINS"}


def spdx_id(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(words))


def package(name, version, identifier, license_, **more):
    return {
        "SPDXID": identifier,
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": license_,
        "licenseDeclared": license_,
        "copyrightText": "NOASSERTION",
        **more,
    }


def document(name, data, version, components, epoch):
    """The SPDX document, as bytes, of the artefact `name` with the bytes `data`."""
    digest = hashlib.sha256(data).hexdigest()
    artefact = spdx_id("artefact")
    packages = [
        package(name, version, artefact, "Apache-2.0", packageFileName=name,
                checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
    ]  # fmt: skip
    relationships = [
        {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
         "relatedSpdxElement": artefact}
    ]  # fmt: skip
    for component in components:
        identifier = spdx_id(component.linked, component.purl.removeprefix("pkg:"))
        more = {"externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": component.purl,
        }]}  # fmt: skip
        if component.checksum:
            algorithm, value = component.checksum
            more["checksums"] = [{"algorithm": algorithm, "checksumValue": value}]
        packages.append(
            package(component.name, component.version, identifier, component.license, **more)
        )
        relationships.append({
            "spdxElementId": artefact,
            "relationshipType": RELATIONS[component.linked],
            "relatedSpdxElement": identifier,
        })  # fmt: skip
    created = datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    value = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        # Unique for each content, as the specification asks; it need not lead anywhere.
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{digest}",
        "creationInfo": {"created": created, "creators": [f"Tool: berth-package-{version}"]},
        "packages": packages,
        "relationships": relationships,
    }
    return (json.dumps(value, indent=2) + "\n").encode()
